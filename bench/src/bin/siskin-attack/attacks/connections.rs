//! Connections without requests.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::{line::Line, server::Server};

/// More connections than the usual limit of open files.
const CONNECTIONS: usize = 1200;

/// Opens connections and sends nothing.
pub async fn idle(server: &Server, time: Duration) -> Result<String> {
    hold(server, time, None).await
}

/// Opens connections and sends the beginning of a request head that never ends.
pub async fn slow_heads(server: &Server, time: Duration) -> Result<String> {
    hold(server, time, Some("GET /health HTTP/1.1\nHost: a\nX-Long: ")).await
}

async fn hold(server: &Server, time: Duration, head: Option<&str>) -> Result<String> {
    let until = Instant::now() + time;
    let (mut lines, mut refused) = (Vec::new(), 0);
    while lines.len() < CONNECTIONS && Instant::now() < until {
        match Line::open(server).await {
            Ok(line) => lines.push(line),
            Err(_) => refused += 1,
        }
    }
    let opened = lines.len();
    while Instant::now() < until {
        let mut open = Vec::new();
        for mut line in lines {
            let alive = match head {
                Some(head) => line.head(head).await.is_ok(),
                None => line.until_closed(Duration::from_millis(1)).await.is_none(),
            };
            if alive {
                open.push(line);
            }
        }
        lines = open;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let left = lines.len();
    Ok(format!("{opened} connections were opened, {refused} refused, {left} remain open"))
}
