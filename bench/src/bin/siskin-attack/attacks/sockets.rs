//! WebSockets that violate the protocol.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use futures_util::future::join_all;

use crate::{connection::Connection, server::Server};

/// Number of concurrent sockets.
const SOCKETS: usize = 15;

/// Declares frames of 2^40 bytes, and sends as much of them as the server accepts.
pub async fn frames_without_end(server: &Server, time: Duration) -> Result<String> {
    let mut head = vec![0x81, 0xFF];
    head.extend((1_u64 << 40).to_be_bytes());
    head.extend([1, 2, 3, 4]);
    let (taken, closed) = flood(server, time, &head, &[7; 64 << 10]).await?;
    ensure!(closed > 0, "no socket was closed");
    Ok(format!(
        "{closed} sockets were closed, {} KiB accepted of frames of 2^40 bytes",
        taken >> 10
    ))
}

/// Sends commands and fragments as fast as the server accepts them.
pub async fn commands_without_end(server: &Server, time: Duration) -> Result<String> {
    let empty = [0x81, 0x80, 0, 0, 0, 0].repeat(2000);
    let fragment = [0x00, 0x80, 0, 0, 0, 0].repeat(2000);
    let (of_commands, closed) = flood(server, time / 2, &[], &empty).await?;
    let (of_fragments, more) =
        flood(server, time / 2, &[0x01, 0x80, 0, 0, 0, 0], &fragment).await?;
    ensure!(closed > 0 && more > 0, "no socket was closed");
    let taken = (of_commands + of_fragments) >> 10;
    Ok(format!("{} sockets were closed, {taken} KiB of commands accepted", closed + more))
}

/// Sends `head` once and `rest` repeatedly over sockets, which are reopened when the server closes
/// them. Returns the number of accepted bytes and of closed sockets.
async fn flood(
    server: &Server,
    time: Duration,
    head: &[u8],
    rest: &[u8],
) -> Result<(usize, usize)> {
    let until = Instant::now() + time;
    let one = |number: usize| async move {
        let token = &server.attackers[number % server.attackers.len()];
        let (mut taken, mut closed) = (0, 0);
        while Instant::now() < until {
            let Ok(mut connection) = Connection::socket(server, token).await else {
                tokio::time::sleep(Duration::from_millis(200)).await;
                continue;
            };
            if connection.send(head).await.is_ok() {
                while Instant::now() < until && connection.send(rest).await.is_ok() {
                    taken += rest.len();
                }
            }
            if connection.until_closed(Duration::from_secs(2)).await.is_some() {
                closed += 1;
            }
        }
        (taken, closed)
    };
    let outcomes = join_all((0..SOCKETS).map(one)).await;
    let sum = |(taken, closed), (more, others)| (taken + more, closed + others);
    Ok(outcomes.into_iter().fold((0, 0), sum))
}
