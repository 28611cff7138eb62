//! Sending of email through the operator's SMTP server.

use std::{fmt, time::Duration};

use lettre::{
    AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    message::{
        Mailbox, MultiPart,
        header::{HeaderName, HeaderValue},
    },
    transport::smtp::{self, extension::ClientId},
};
use thiserror::Error;

use crate::tls;

/// Timeout of the server's response to a command.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Email to one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// Address without a name.
    pub to: String,
    /// Subject of one line.
    pub subject: String,
    /// Plain text body.
    pub text: String,
    /// The same as HTML.
    pub html: String,
    /// Address to which mail clients post if the recipient wants no more such emails (RFC 8058).
    pub unsubscribe: Option<String>,
}

/// Error for an email that was not sent.
#[derive(Debug, Error)]
pub enum MailError {
    /// The address of the mail server or of the sender is invalid.
    #[error("invalid email configuration: {0}")]
    Setup(String),
    /// The recipient's address is invalid, or the server rejects the email permanently.
    #[error("the email was rejected permanently: {0}")]
    Refused(String),
    /// The server is not reachable or rejects the email temporarily.
    #[error("the email cannot be delivered now: {0}")]
    Temporary(String),
}

impl MailError {
    /// Says in plain words what went wrong and where to look, for the operator.
    #[must_use]
    pub fn explanation(&self) -> String {
        let reply = |why: &str| why.strip_prefix(REPLY).map(str::to_owned);
        match self {
            Self::Setup(why) => format!("The options of the mail server are wrong: {why}."),
            Self::Refused(why) => match reply(why).as_deref() {
                Some(code) if LOGIN_REPLIES.contains(&code) => format!(
                    "The mail server did not accept the user name or the password (reply {code}). \
                     Check both in --smtp-url."
                ),
                Some(code) => format!(
                    "The mail server refused the email (reply {code}). Check the sender \
                     (--mail-from), the address of the recipient, and whether --smtp-url needs a \
                     user name, a password or encryption."
                ),
                None => format!("The email could not be sent: {why}."),
            },
            Self::Temporary(why) => match reply(why) {
                Some(code) => format!(
                    "The mail server does not accept the email at the moment (reply {code}). Try \
                     again later."
                ),
                None => format!(
                    "The mail server cannot be reached. Check its name and port in --smtp-url, and \
                     whether a firewall blocks the connection. ({why})"
                ),
            },
        }
    }
}

/// Beginning of a reason that is the status code of a reply.
const REPLY: &str = "reply ";
/// Replies to a login that is not accepted (RFC 4954, 6).
const LOGIN_REPLIES: [&str; 3] = ["534", "535", "538"];

/// Client for one mail server. Clones share its connections.
#[derive(Clone)]
pub struct Mailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

impl fmt::Debug for Mailer {
    /// Omits the server, because its URL may contain a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mailer").field("from", &self.from).finish_non_exhaustive()
    }
}

impl Mailer {
    /// Creates a mailer for the server at `smtp_url` (`smtps://USER:PASSWORD@HOST`,
    /// `smtp://USER:PASSWORD@HOST:587?tls=required`, `smtp://HOST` without encryption). `from` is
    /// the sender, an address or `Name <address>`. No connection is opened yet.
    ///
    /// # Errors
    /// Returns [`MailError::Setup`] if one of the two is invalid.
    pub fn new(smtp_url: &str, from: &str) -> Result<Self, MailError> {
        tls::prepare();
        let from: Mailbox = from
            .parse()
            .map_err(|_| MailError::Setup(format!("{from:?} is not a valid sender address")))?;
        let hello = ClientId::Domain(from.email.domain().to_owned());
        let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(smtp_url)
            .map_err(|error| {
                MailError::Setup(format!("invalid address of the mail server: {error}"))
            })?
            .hello_name(hello)
            .timeout(Some(TIMEOUT))
            .build();
        Ok(Self { transport, from })
    }

    /// Sends an email. On success, the server has taken responsibility for its delivery.
    ///
    /// # Errors
    /// Returns [`MailError::Refused`] if a retry is pointless, else [`MailError::Temporary`].
    pub async fn send(&self, mail: &Mail) -> Result<(), MailError> {
        let message = self.message(mail)?;
        self.transport.send(message).await.map(|_| ()).map_err(|error| by_kind(&error))
    }

    fn message(&self, mail: &Mail) -> Result<Message, MailError> {
        let to = mail.to.parse().map_err(|_| refused("the address is invalid"))?;
        // Suppresses automatic replies such as out-of-office messages.
        let automatic = header("Auto-Submitted", "auto-generated".to_owned());
        let mut message = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to))
            .subject(one_line(&mail.subject))
            .message_id(Some(self.new_id()))
            .raw_header(automatic);
        if let Some(address) = &mail.unsubscribe {
            let list = header("List-Unsubscribe", format!("<{}>", one_line(address)));
            let post = header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned());
            message = message.raw_header(list).raw_header(post);
        }
        message
            .multipart(MultiPart::alternative_plain_html(mail.text.clone(), mail.html.clone()))
            .map_err(|_| refused("it cannot be encoded"))
    }

    /// Returns a new `Message-ID` with the domain of the sender. `lettre` would write `localhost`,
    /// which spam filters distrust.
    fn new_id(&self) -> String {
        let id: u128 = rand::random();
        format!("<{id:032x}@{}>", self.from.email.domain())
    }
}

fn header(name: &'static str, value: String) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn refused(why: &str) -> MailError {
    MailError::Refused(why.to_owned())
}

/// Classifies an SMTP error. A response may repeat the recipient's address, which must not get into
/// logs. So the message contains only the status code, or the cause if there was no response.
fn by_kind(error: &smtp::Error) -> MailError {
    let why = error.status().map_or_else(|| with_causes(error), |code| format!("{REPLY}{code}"));
    if error.is_permanent() || error.is_client() {
        MailError::Refused(why)
    } else {
        MailError::Temporary(why)
    }
}

fn with_causes(error: &smtp::Error) -> String {
    let mut description = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        description.push_str(&format!(": {inner}"));
        cause = inner.source();
    }
    description
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_and_the_sender_must_be_addresses() {
        for url in [
            "smtp://localhost:2525",
            "smtps://a:b@mail.example",
            "smtp://m.example:587?tls=required",
        ] {
            assert!(Mailer::new(url, "Siskin <siskin@example.org>").is_ok(), "{url}");
        }
        for (url, from) in [
            ("http://localhost", "a@example.org"),
            ("localhost:25", "a@example.org"),
            ("", "a@example.org"),
            ("smtp://localhost", "nobody"),
            ("smtp://localhost", ""),
        ] {
            assert!(matches!(Mailer::new(url, from), Err(MailError::Setup(_))), "{url} {from}");
        }
    }

    #[test]
    fn errors_are_explained_in_plain_words() {
        let refused = |why: &str| MailError::Refused(why.to_owned()).explanation();
        assert!(refused("reply 535").contains("password (reply 535)"));
        assert!(refused("reply 550").contains("refused the email (reply 550)"));
        assert_eq!(
            refused("the address is invalid"),
            "The email could not be sent: the address is invalid."
        );
        let temporary = |why: &str| MailError::Temporary(why.to_owned()).explanation();
        assert!(temporary("reply 451").ends_with("(reply 451). Try again later."));
        assert!(temporary("Connection error").starts_with("The mail server cannot be reached."));
    }

    #[test]
    fn a_mail_has_one_recipient_and_is_marked_as_automatic() {
        let mailer = Mailer::new("smtp://localhost", "Siskin <siskin@example.org>").unwrap();
        let mail = |to: &str| Mail {
            to: to.to_owned(),
            subject: "Hello\r\nBcc: evil@example.org".to_owned(),
            text: "https://example.org/x".to_owned(),
            html: "<p>x</p>".to_owned(),
            unsubscribe: Some("https://example.org/u?a=1&b=2".to_owned()),
        };
        let message = mailer.message(&mail("ann@example.com")).unwrap();
        let text = String::from_utf8(message.formatted()).unwrap();
        for line in [
            "To: ann@example.com\r\n",
            "Subject: Hello Bcc: evil@example.org\r\n",
            "Auto-Submitted: auto-generated\r\n",
            "List-Unsubscribe: <https://example.org/u?a=1&b=2>\r\n",
            "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n",
            "Content-Type: text/plain; charset=utf-8\r\n",
            "Content-Type: text/html; charset=utf-8\r\n",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
        assert!(!text.contains("\r\nBcc:"));
        let id = |text: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix("Message-ID: <"));
            line.and_then(|line| line.strip_suffix("@example.org>")).unwrap().to_owned()
        };
        let again = mailer.message(&mail("ann@example.com")).unwrap();
        assert_ne!(id(&text), id(&String::from_utf8(again.formatted()).unwrap()));
        for to in ["ann", "ann@example.com>\r\nRCPT TO:<evil@example.com", "a@b, c@d"] {
            assert!(matches!(mailer.message(&mail(to)), Err(MailError::Refused(_))), "{to}");
        }
    }
}
