//! DNS server on loopback with records defined by a test.

use std::{
    collections::HashMap,
    io::{Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use crate::site::{LOOPBACK, listen};

const A: u16 = 1;
const SOA: u16 = 6;
const MX: u16 = 15;
const INTERNET: u16 = 1;
/// Lifetime of every record in seconds.
const TTL: u32 = 60;
/// A pointer to the name in the question.
const NAME_OF_QUESTION: [u8; 2] = [0xc0, 12];
const HEADER_LENGTH: usize = 12;
/// Maximum length of a response by UDP to clients that announce no larger one (RFC 1035, 4.2.1).
const MAX_DATAGRAM: usize = 512;

/// A response to recursive queries.
const RESPONSE: u16 = 0x8180;
const TRUNCATED: u16 = 0x0200;
const SERVER_FAILURE: u16 = 2;
const UNKNOWN_NAME: u16 = 3;

/// Records of a name, or how the server behaves when it is asked for the name.
#[derive(Debug, Clone)]
enum Behaviour {
    Records { mx: Vec<(u16, String)>, addresses: Vec<Ipv4Addr> },
    Failure,
    Silence,
}

#[derive(Debug, Default)]
struct Zone {
    names: HashMap<String, Behaviour>,
    queries: Vec<String>,
    truncates: bool,
}

/// Running DNS server for UDP and TCP; it stops on drop. A name that no test defined does not exist.
#[derive(Debug)]
pub struct DnsServer {
    address: SocketAddr,
    zone: Arc<Mutex<Zone>>,
    ended: Arc<AtomicBool>,
}

impl DnsServer {
    /// Starts a server on a free port.
    ///
    /// # Panics
    /// Panics if no port is free.
    #[must_use]
    pub fn start() -> Self {
        let (datagrams, listener, address) = sockets();
        let server = Self { address, zone: Arc::default(), ended: Arc::default() };
        let (zone, ended) = (Arc::clone(&server.zone), Arc::clone(&server.ended));
        thread::spawn(move || serve_datagrams(&datagrams, &zone, &ended));
        let (zone, ended) = (Arc::clone(&server.zone), Arc::clone(&server.ended));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if ended.load(Ordering::Relaxed) {
                    break;
                }
                let zone = Arc::clone(&zone);
                thread::spawn(move || serve_connection(stream, &zone));
            }
        });
        server
    }

    /// Returns its address, for UDP and TCP.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Gives a name these MX records: preferences with names of servers. The empty name stands for
    /// no server.
    pub fn mx(&self, name: &str, servers: &[(u16, &str)]) {
        let servers = servers.iter().map(|(value, server)| (*value, (*server).to_owned()));
        self.set(name, Behaviour::Records { mx: servers.collect(), addresses: Vec::new() });
    }

    /// Gives a name these IPv4 addresses.
    ///
    /// # Panics
    /// Panics if a text is no IPv4 address.
    #[expect(clippy::unwrap_used, reason = "a test names addresses")]
    pub fn host(&self, name: &str, addresses: &[&str]) {
        let addresses = addresses.iter().map(|address| address.parse().unwrap()).collect();
        self.set(name, Behaviour::Records { mx: Vec::new(), addresses });
    }

    /// Makes a name exist, without records.
    pub fn exists(&self, name: &str) {
        self.host(name, &[]);
    }

    /// Answers each query for a name with a failure (`SERVFAIL`).
    pub fn fail(&self, name: &str) {
        self.set(name, Behaviour::Failure);
    }

    /// Answers no query for a name.
    pub fn ignore(&self, name: &str) {
        self.set(name, Behaviour::Silence);
    }

    /// Truncates each response by UDP from now on, so that clients must ask by TCP.
    pub fn truncate_datagrams(&self) {
        lock(&self.zone).truncates = true;
    }

    /// Returns all queries so far, such as `MX mail.example`. A client repeats a query that was not
    /// answered.
    #[must_use]
    pub fn queries(&self) -> Vec<String> {
        lock(&self.zone).queries.clone()
    }

    fn set(&self, name: &str, behaviour: Behaviour) {
        lock(&self.zone).names.insert(name.to_owned(), behaviour);
    }
}

impl Drop for DnsServer {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        // Wakes up both threads, which then see the flag and stop.
        let _ = TcpStream::connect(self.address);
        if let Ok(socket) = UdpSocket::bind(LOOPBACK) {
            let _ = socket.send_to(&[], self.address);
        }
    }
}

fn lock(zone: &Mutex<Zone>) -> MutexGuard<'_, Zone> {
    zone.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns sockets for UDP and TCP with the same free port.
fn sockets() -> (UdpSocket, TcpListener, SocketAddr) {
    loop {
        let (listener, address) = listen(LOOPBACK);
        if let Ok(socket) = UdpSocket::bind(address) {
            return (socket, listener, address);
        }
    }
}

fn serve_datagrams(socket: &UdpSocket, zone: &Mutex<Zone>, ended: &AtomicBool) {
    let mut buffer = [0; 4096];
    while let Ok((length, client)) = socket.recv_from(&mut buffer) {
        if ended.load(Ordering::Relaxed) {
            break;
        }
        let truncates = lock(zone).truncates;
        let Some(mut response) = respond(&buffer[..length], zone) else { continue };
        if truncates || response.len() > MAX_DATAGRAM {
            truncate(&mut response, &buffer[..length]);
        }
        let _ = socket.send_to(&response, client);
    }
}

/// Handles the queries of a connection. Two bytes with the length come before each message.
fn serve_connection(mut stream: TcpStream, zone: &Mutex<Zone>) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(30)));
    let mut length = [0; 2];
    while stream.read_exact(&mut length).is_ok() {
        let mut query = vec![0; usize::from(u16::from_be_bytes(length))];
        if stream.read_exact(&mut query).is_err() {
            break;
        }
        let Some(response) = respond(&query, zone) else { continue };
        let length = u16::try_from(response.len()).unwrap_or(u16::MAX).to_be_bytes();
        if stream.write_all(&[&length[..], &response].concat()).is_err() {
            break;
        }
    }
}

/// Removes all records and says so.
fn truncate(response: &mut Vec<u8>, query: &[u8]) {
    let question = question(query).map_or(HEADER_LENGTH, |question| question.end);
    response.truncate(question);
    response[2..4].copy_from_slice(&(RESPONSE | TRUNCATED).to_be_bytes());
    response[6..HEADER_LENGTH].fill(0);
}

/// Question of a query: the name in lower case, the type of the records, and where it ends.
struct Question {
    name: String,
    kind: u16,
    end: usize,
}

fn question(query: &[u8]) -> Option<Question> {
    let (mut labels, mut at) = (Vec::new(), HEADER_LENGTH);
    loop {
        let length = usize::from(*query.get(at)?);
        at += 1;
        if length == 0 {
            break;
        }
        labels.push(String::from_utf8_lossy(query.get(at..at + length)?).to_ascii_lowercase());
        at += length;
    }
    let kind = query.get(at..at + 2)?;
    // After the type comes the class.
    Some(Question {
        name: labels.join("."),
        kind: u16::from_be_bytes([kind[0], kind[1]]),
        end: at + 4,
    })
}

/// Returns the response to a query. Returns `None` if the client must not get any.
fn respond(query: &[u8], zone: &Mutex<Zone>) -> Option<Vec<u8>> {
    let question = question(query)?;
    let behaviour = {
        let mut zone = lock(zone);
        zone.queries.push(format!("{} {}", kind_name(question.kind), question.name));
        zone.names.get(&question.name).cloned()
    };
    let (code, records) = match behaviour {
        Some(Behaviour::Records { mx, addresses }) => (0, records(question.kind, &mx, &addresses)),
        Some(Behaviour::Failure) => (SERVER_FAILURE, Vec::new()),
        Some(Behaviour::Silence) => return None,
        None => (UNKNOWN_NAME, Vec::new()),
    };
    let mut response = query.get(..2)?.to_vec();
    // Without records, the origin of the zone says for how long that may be cached.
    let is_negative = records.is_empty() && code != SERVER_FAILURE;
    let count = u16::try_from(records.len()).unwrap_or(u16::MAX);
    for number in [RESPONSE | code, 1, count, u16::from(is_negative), 0] {
        response.extend(number.to_be_bytes());
    }
    response.extend(query.get(HEADER_LENGTH..question.end)?);
    for data in &records {
        write_record(&mut response, &NAME_OF_QUESTION, question.kind, data);
    }
    if is_negative {
        let numbers = [1, TTL, TTL, TTL, TTL].map(u32::to_be_bytes).concat();
        write_record(&mut response, &[0], SOA, &[&[0, 0][..], &numbers].concat());
    }
    Some(response)
}

fn kind_name(kind: u16) -> String {
    match kind {
        A => "A".to_owned(),
        MX => "MX".to_owned(),
        other => other.to_string(),
    }
}

/// Returns the data of the records of this type.
fn records(kind: u16, mx: &[(u16, String)], addresses: &[Ipv4Addr]) -> Vec<Vec<u8>> {
    match kind {
        A => addresses.iter().map(|address| address.octets().to_vec()).collect(),
        MX => mx
            .iter()
            .map(|(value, server)| [&value.to_be_bytes()[..], &name(server)].concat())
            .collect(),
        _ => Vec::new(),
    }
}

/// Writes a name: each label with its length, then the root.
fn name(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for label in text.split('.').filter(|label| !label.is_empty()) {
        bytes.push(u8::try_from(label.len()).unwrap_or(u8::MAX));
        bytes.extend(label.as_bytes());
    }
    bytes.push(0);
    bytes
}

fn write_record(response: &mut Vec<u8>, owner: &[u8], kind: u16, data: &[u8]) {
    response.extend(owner);
    response.extend(kind.to_be_bytes());
    response.extend(INTERNET.to_be_bytes());
    response.extend(TTL.to_be_bytes());
    response.extend(u16::try_from(data.len()).unwrap_or(u16::MAX).to_be_bytes());
    response.extend(data);
}
