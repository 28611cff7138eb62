//! Connections without requests.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::{connection::Connection, server::Server};

/// More connections than the usual limit of open files.
const CONNECTIONS: usize = 1200;

/// Opens connections and sends nothing.
pub async fn idle(server: &Server, time: Duration) -> Result<String> {
    keep_open(server, time, None).await
}

/// Opens connections and sends the beginning of a request head that never ends.
pub async fn slow_heads(server: &Server, time: Duration) -> Result<String> {
    keep_open(server, time, Some("GET /health HTTP/1.1\nHost: a\nX-Long: ")).await
}

async fn keep_open(server: &Server, time: Duration, head: Option<&str>) -> Result<String> {
    let until = Instant::now() + time;
    let (mut connections, mut refused) = (Vec::new(), 0);
    while connections.len() < CONNECTIONS && Instant::now() < until {
        match Connection::open(server).await {
            Ok(connection) => connections.push(connection),
            Err(_) => refused += 1,
        }
    }
    let opened = connections.len();
    while Instant::now() < until {
        let mut open = Vec::new();
        for mut connection in connections {
            let alive = match head {
                Some(head) => connection.head(head).await.is_ok(),
                None => connection.until_closed(Duration::from_millis(1)).await.is_none(),
            };
            if alive {
                open.push(connection);
            }
        }
        connections = open;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let remaining = connections.len();
    Ok(format!("{opened} connections were opened, {refused} refused, {remaining} remain open"))
}
