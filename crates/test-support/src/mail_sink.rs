//! SMTP server on loopback that stores all email and forwards none.

use std::{
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpStream},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use crate::site::{LOOPBACK, listen};

/// Received email.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// Sender of the envelope.
    pub from: String,
    pub to: Vec<String>,
    /// Headers and body as received.
    pub message: String,
}

impl Received {
    /// Returns the value of a header of the message; folded lines are joined.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<String> {
        let (head, _) = self.message.split_once("\r\n\r\n")?;
        let head = head.replace("\r\n ", " ");
        let (_, value) = head
            .lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(found, _)| found.eq_ignore_ascii_case(name))?;
        Some(value.trim().to_owned())
    }

    /// Returns the plain text of the message without its transfer encoding.
    #[must_use]
    pub fn text(&self) -> String {
        self.part("text/plain")
    }

    /// Returns the HTML of the message without its transfer encoding.
    #[must_use]
    pub fn html(&self) -> String {
        self.part("text/html")
    }

    /// Returns the part of the message with this media type, or an empty text if there is none.
    fn part(&self, media_type: &str) -> String {
        let content_type = self.header("content-type").unwrap_or_default();
        let boundary =
            content_type.split("boundary=\"").nth(1).and_then(|rest| rest.split('"').next());
        let Some(boundary) = boundary else { return String::new() };
        let delimiter = format!("--{boundary}");
        let parts = self.message.split(&delimiter).skip(1).map(|part| Self {
            from: String::new(),
            to: Vec::new(),
            message: part.trim_start_matches("\r\n").to_owned(),
        });
        let of_type = |part: &Self| {
            part.header("content-type").is_some_and(|found| found.starts_with(media_type))
        };
        let Some(part) = parts.into_iter().find(of_type) else { return String::new() };
        let body = part.message.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        match part.header("content-transfer-encoding").as_deref() {
            Some("quoted-printable") => from_quoted_printable(body),
            _ => body.to_owned(),
        }
    }

    /// Returns the first URL in the text that contains `part`.
    #[must_use]
    pub fn link(&self, part: &str) -> Option<String> {
        let text = self.text();
        let mut words = text.split_whitespace();
        words.find(|word| word.starts_with("http") && word.contains(part)).map(str::to_owned)
    }
}

/// Decodes quoted-printable text (RFC 2045, 6.7).
fn from_quoted_printable(body: &str) -> String {
    let body = body.replace("=\r\n", "");
    let (mut bytes, mut rest) = (Vec::new(), body.as_bytes());
    while let [first, after @ ..] = rest {
        let code = after.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) if *first == b'=' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[derive(Debug, Default)]
struct State {
    received: Vec<Received>,
    /// Response to every recipient; `None` accepts them.
    refusal: Option<&'static str>,
    logins: Vec<String>,
}

/// Running mail server.
#[derive(Debug)]
pub struct MailSink {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

impl MailSink {
    /// Starts a server on a free port that accepts every email.
    ///
    /// # Panics
    /// Panics if no port is free.
    #[must_use]
    pub fn start() -> Self {
        let (listener, address) = listen(LOOPBACK);
        let state = Arc::<Mutex<State>>::default();
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let state = Arc::clone(&shared);
                thread::spawn(move || SmtpSession { state: &state }.serve(stream));
            }
        });
        Self { address, state }
    }

    /// Returns the URL for `SISKIN_SMTP_URL`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    /// Returns the URL with credentials.
    #[must_use]
    pub fn url_with_login(&self, user: &str, password: &str) -> String {
        format!("smtp://{user}:{password}@{}", self.address)
    }

    /// Returns all received email, oldest first.
    #[must_use]
    pub fn mails(&self) -> Vec<Received> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).received.clone()
    }

    /// Returns the arguments of all login attempts.
    #[must_use]
    pub fn logins(&self) -> Vec<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).logins.clone()
    }

    /// Answers every recipient with this line (`550 no such user`) from now on; `None` accepts
    /// email again.
    pub fn refuse(&self, line: Option<&'static str>) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).refusal = line;
    }
}

/// Connection of one client (RFC 5321).
struct SmtpSession<'s> {
    state: &'s Mutex<State>,
}

impl SmtpSession<'_> {
    fn serve(&self, stream: TcpStream) {
        let _ = stream.set_read_timeout(Some(Duration::from_secs(30)));
        let mut stream = BufReader::new(stream);
        let _ = self.run(&mut stream);
    }

    fn run(&self, stream: &mut BufReader<TcpStream>) -> std::io::Result<()> {
        send_line(stream, "220 sink")?;
        let (mut from, mut to) = (String::new(), Vec::new());
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let line = line.trim_end();
            let (verb, argument) = line.split_once([' ', ':']).unwrap_or((line, ""));
            match verb.to_ascii_uppercase().as_str() {
                "EHLO" => send_line(stream, "250-sink\r\n250-8BITMIME\r\n250 AUTH PLAIN")?,
                "AUTH" => {
                    self.state().logins.push(argument.to_owned());
                    send_line(stream, "235 welcome")?;
                }
                "MAIL" => {
                    from = address(argument);
                    send_line(stream, "250 ok")?;
                }
                "RCPT" => {
                    let refusal = self.state().refusal;
                    if refusal.is_none() {
                        to.push(address(argument));
                    }
                    send_line(stream, refusal.unwrap_or("250 ok"))?;
                }
                "DATA" => {
                    send_line(stream, "354 go on")?;
                    let message = message(stream)?;
                    let (from, to) = (std::mem::take(&mut from), std::mem::take(&mut to));
                    self.state().received.push(Received { from, to, message });
                    send_line(stream, "250 ok")?;
                }
                "QUIT" => return send_line(stream, "221 bye"),
                _ => send_line(stream, "250 ok")?,
            }
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn send_line(stream: &mut BufReader<TcpStream>, line: &str) -> std::io::Result<()> {
    stream.get_mut().write_all(format!("{line}\r\n").as_bytes())
}

/// Returns the text between the angle brackets of `FROM:<…>` and `TO:<…>`.
fn address(argument: &str) -> String {
    let inside = argument.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
    inside.map_or("", |(address, _)| address).to_owned()
}

/// Reads lines up to a single dot and removes dot-stuffing.
fn message(stream: &mut BufReader<TcpStream>) -> std::io::Result<String> {
    let mut message = String::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 || line == ".\r\n" {
            return Ok(message);
        }
        message.push_str(line.strip_prefix('.').unwrap_or(&line));
    }
}
