//! Raw TCP connections, over which a test sends arbitrary bytes.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

use super::TestApp;

/// Timeout that tolerates a busy machine.
const TIMEOUT: Duration = Duration::from_secs(20);

/// An open connection.
pub struct RawConnection(TcpStream);

impl TestApp {
    pub async fn line(&self) -> RawConnection {
        let address = self.base_url().strip_prefix("http://").unwrap();
        RawConnection(TcpStream::connect(address).await.unwrap())
    }
}

impl RawConnection {
    /// Sends a text and converts its line ends to those of HTTP.
    pub async fn send(&mut self, text: &str) {
        self.bytes(text.replace('\n', "\r\n").as_bytes()).await;
    }

    pub async fn bytes(&mut self, bytes: &[u8]) {
        // A server that has already responded may have closed its side.
        let _ = self.0.write_all(bytes).await;
    }

    /// Returns the status and the head of the next response. Panics if the connection ends without
    /// one.
    pub async fn head(&mut self) -> (u16, String) {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let byte = timeout(TIMEOUT, self.0.read_u8()).await.expect("no line arrived");
            head.push(byte.unwrap_or_else(|why| panic!("{why} after {}", head.escape_ascii())));
        }
        let head = String::from_utf8(head).unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), head)
    }

    /// Returns `true` if the server has closed the connection, `false` if nothing happens for half
    /// a second.
    pub async fn is_closed(&mut self) -> bool {
        let mut byte = [0];
        match timeout(Duration::from_millis(500), self.0.read(&mut byte)).await {
            Ok(Ok(0) | Err(_)) => true,
            Ok(Ok(_)) => panic!("the server sent unexpected data"),
            Err(_) => false,
        }
    }
}
