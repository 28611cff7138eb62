//! Raw connections over which attackers can send anything.

use std::{net::Ipv4Addr, time::Duration};

use anyhow::{Context, Result, ensure};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

use super::server::{ATTACKER, Server};

/// Open connection.
#[derive(Debug)]
pub struct Connection(TcpStream);

/// Beginning of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Response {
    Status(u16),
    /// The server closed the connection without a response.
    Closed,
    /// No response arrived in time.
    TimedOut,
}

impl Connection {
    /// Opens a connection from the attackers' address.
    pub async fn open(server: &Server) -> Result<Self> {
        Self::open_from(server, ATTACKER, None).await
    }

    /// Opens a connection with a small receive buffer.
    pub async fn open_narrow(server: &Server) -> Result<Self> {
        Self::open_from(server, ATTACKER, Some(4096)).await
    }

    async fn open_from(server: &Server, from: Ipv4Addr, buffer: Option<u32>) -> Result<Self> {
        let socket = TcpSocket::new_v4()?;
        if let Some(buffer) = buffer {
            socket.set_recv_buffer_size(buffer)?;
        }
        socket.bind((from, 0).into())?;
        let connecting = socket.connect(server.address);
        Ok(Self(timeout(Duration::from_secs(5), connecting).await.context("no connection")??))
    }

    /// Sends bytes. Fails if the server has closed the connection or accepts nothing for five
    /// seconds.
    pub async fn send(&mut self, bytes: &[u8]) -> Result<()> {
        timeout(Duration::from_secs(5), self.0.write_all(bytes))
            .await
            .context("the write timed out")??;
        Ok(())
    }

    /// Sends a request head; `\n` becomes the line end of HTTP.
    pub async fn head(&mut self, head: &str) -> Result<()> {
        self.send(head.replace('\n', "\r\n").as_bytes()).await
    }

    /// Waits for a response.
    pub async fn response(&mut self, time: Duration) -> Response {
        let mut first = [0; 12];
        match timeout(time, self.0.read_exact(&mut first)).await {
            Err(_) => Response::TimedOut,
            Ok(Err(_)) => Response::Closed,
            Ok(Ok(_)) => {
                let status = std::str::from_utf8(&first[9..]).ok();
                status
                    .and_then(|status| status.parse().ok())
                    .map_or(Response::Closed, Response::Status)
            }
        }
    }

    /// Reads until the connection is closed and returns the last bytes. Returns `None` if it is
    /// still open after `time`.
    pub async fn until_closed(&mut self, time: Duration) -> Option<Vec<u8>> {
        let mut last = Vec::new();
        let reading = async {
            let mut buffer = vec![0; 64 << 10];
            while let Ok(read @ 1..) = self.0.read(&mut buffer).await {
                last = buffer[..read].to_vec();
            }
        };
        timeout(time, reading).await.ok()?;
        Some(last)
    }

    /// Opens a WebSocket with this token.
    pub async fn socket(server: &Server, token: &str) -> Result<Self> {
        let mut connection = Self::open(server).await?;
        connection
            .head(&format!(
                "GET /api/v1/streaming HTTP/1.1\nHost: a\nAuthorization: Bearer {token}\n\
             Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n\n"
            ))
            .await?;
        let response = connection.response(Duration::from_secs(5)).await;
        ensure!(response == Response::Status(101), "no WebSocket: {response:?}");
        // Skip the rest of the response head.
        let mut end = Vec::new();
        while !end.ends_with(b"\r\n\r\n") {
            end.push(timeout(Duration::from_secs(5), connection.0.read_u8()).await??);
        }
        Ok(connection)
    }
}
