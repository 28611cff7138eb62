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
pub struct Line(TcpStream);

/// Beginning of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Status(u16),
    /// The server closed the connection without a response.
    Closed,
    /// No response arrived in time.
    Silence,
}

impl Line {
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
    pub async fn answer(&mut self, time: Duration) -> Answer {
        let mut first = [0; 12];
        match timeout(time, self.0.read_exact(&mut first)).await {
            Err(_) => Answer::Silence,
            Ok(Err(_)) => Answer::Closed,
            Ok(Ok(_)) => {
                let status = std::str::from_utf8(&first[9..]).ok();
                status.and_then(|status| status.parse().ok()).map_or(Answer::Closed, Answer::Status)
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
        let mut line = Self::open(server).await?;
        line.head(&format!(
            "GET /api/v1/streaming HTTP/1.1\nHost: a\nAuthorization: Bearer {token}\n\
             Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n\n"
        ))
        .await?;
        let answer = line.answer(Duration::from_secs(5)).await;
        ensure!(answer == Answer::Status(101), "no WebSocket: {answer:?}");
        // Skip the rest of the response head.
        let mut end = Vec::new();
        while !end.ends_with(b"\r\n\r\n") {
            end.push(timeout(Duration::from_secs(5), line.0.read_u8()).await??);
        }
        Ok(line)
    }
}
