//! Web sites of attackers and regular users, on loopback.

use std::{sync::Arc, time::Duration};

use anyhow::Result;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
    time::sleep,
};

/// Response of a site to every request.
#[derive(Debug, Clone)]
pub enum Site {
    /// A complete page.
    Page(Arc<[u8]>),
    /// The start of a page, then one byte per second.
    Drip,
}

/// Running site; it stops on drop.
#[derive(Debug)]
pub struct Running(JoinHandle<()>);

impl Site {
    pub fn page(html: &str) -> Self {
        Self::Page(html.as_bytes().into())
    }

    /// Starts the site on a port of loopback.
    pub async fn serve(self, port: u16) -> Result<Running> {
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        Ok(Running(tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(self.clone().response(stream));
            }
        })))
    }

    async fn response(self, mut stream: TcpStream) {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            match stream.read_u8().await {
                Ok(byte) => head.push(byte),
                Err(_) => return,
            }
        }
        let length = match &self {
            Self::Page(page) => page.len(),
            Self::Drip => 1 << 20,
        };
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {length}\r\n\
             connection: close\r\n\r\n"
        );
        // A server that has read enough closes the connection.
        let _ = stream.write_all(head.as_bytes()).await;
        match self {
            Self::Page(page) => drop(stream.write_all(&page).await),
            Self::Drip => {
                while stream.write_all(b" ").await.is_ok() {
                    sleep(Duration::from_secs(1)).await;
                }
            }
        }
        let _ = stream.shutdown().await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.abort();
    }
}
