//! Web server on loopback with responses defined by a test: a stand-in for a remote site.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// Any free port on loopback.
pub(crate) const LOOPBACK: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// Request that a [`Site`] received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedRequest {
    pub method: String,
    /// Path with its query.
    pub path: String,
    /// Headers with names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl ReceivedRequest {
    /// Returns the value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }
}

/// Running site; it stops on drop.
#[derive(Debug)]
pub struct Site {
    address: SocketAddr,
    received: Arc<Mutex<Vec<ReceivedRequest>>>,
    ended: Arc<AtomicBool>,
}

impl Site {
    /// Starts a site on a free port. `response` returns the bytes of a complete response with
    /// headers and body: see [`page`] and [`redirect`].
    ///
    /// # Panics
    /// Panics if no port is free.
    #[must_use]
    pub fn start(response: impl Fn(&ReceivedRequest) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::start_on(LOOPBACK, response)
    }

    /// Starts a site on this address.
    ///
    /// # Panics
    /// Panics if the address is in use.
    #[must_use]
    pub fn start_on(
        address: SocketAddr,
        response: impl Fn(&ReceivedRequest) -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        let (listener, address) = listen(address);
        let (received, ended) = (Arc::default(), Arc::new(AtomicBool::new(false)));
        let site = Self { address, received, ended };
        let (received, ended, response) =
            (Arc::clone(&site.received), Arc::clone(&site.ended), Arc::new(response));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if ended.load(Ordering::Relaxed) {
                    break;
                }
                let (received, response) = (Arc::clone(&received), Arc::clone(&response));
                thread::spawn(move || serve(stream, &received, &*response));
            }
        });
        site
    }

    /// Returns its listening address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL of one of its pages; `path` begins with a slash.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns all requests so far.
    #[must_use]
    pub fn received(&self) -> Vec<ReceivedRequest> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[expect(clippy::unwrap_used, reason = "a test needs a free port")]
pub(crate) fn listen(address: SocketAddr) -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind(address).unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

impl Drop for Site {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        // Wakes up the listener, which then sees the flag and stops.
        let _ = TcpStream::connect(self.address);
    }
}

/// Handles the requests of a connection, until a response announces that it closes. A client that
/// disconnects early misses the response.
fn serve(
    stream: TcpStream,
    received: &Mutex<Vec<ReceivedRequest>>,
    response: &dyn Fn(&ReceivedRequest) -> Vec<u8>,
) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(30)));
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader) {
        received.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        let response = response(&request);
        if reader.get_mut().write_all(&response).is_err() || closes(&response) {
            break;
        }
    }
}

/// Returns `true` if the head of a response announces that the connection closes.
fn closes(response: &[u8]) -> bool {
    let head = response.split(|byte| *byte == b'\n').take_while(|line| *line != b"\r");
    head.into_iter().any(|line| line == b"connection: close\r")
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<ReceivedRequest> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut request = ReceivedRequest { method, path, headers, body: Vec::new() };
    let length = request.header("content-length").and_then(|length| length.parse().ok());
    request.body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut request.body).ok()?;
    Some(request)
}

/// Returns a response with an HTML page.
#[must_use]
pub fn page(html: &str) -> Vec<u8> {
    response("200 OK", &[("content-type", "text/html; charset=utf-8")], html.as_bytes())
}

/// Returns a redirect.
#[must_use]
pub fn redirect(location: &str) -> Vec<u8> {
    response("302 Found", &[("location", location)], b"")
}

/// Returns any response, with its length and the announcement that the connection closes.
#[must_use]
pub fn response(status: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut response = format!("HTTP/1.1 {status}\r\n");
    for (name, value) in headers {
        response.push_str(&format!("{name}: {value}\r\n"));
    }
    response.push_str(&format!("content-length: {}\r\nconnection: close\r\n\r\n", body.len()));
    let mut response = response.into_bytes();
    response.extend_from_slice(body);
    response
}
