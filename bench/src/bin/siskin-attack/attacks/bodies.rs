//! Request bodies that never end, and clients that never read their responses.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use futures_util::future::join_all;

use crate::{
    connection::{Connection, Response},
    server::Server,
};

/// Number of concurrent connections.
const CONNECTIONS: usize = 100;
const READERS: usize = 60;
/// Size of the part that is sent of an unfinished body, in bytes.
const PART: usize = 15_900_000;

/// Sends parts of 15.9 MB without a token, then single bytes slowly.
pub async fn unfinished(server: &Server, time: Duration) -> Result<String> {
    let paths =
        ["/api/v1/media", "/api/v1/apps", "/oauth/token", "/auth/sign_in", "/api/v1/accounts"];
    drip(server, time, None, &paths).await
}

/// Sends the same with the tokens of the attackers.
pub async fn unfinished_with_token(server: &Server, time: Duration) -> Result<String> {
    let paths = ["/api/v1/statuses", "/api/v2/filters", "/api/v2/media", "/api/v1/lists"];
    drip(server, time, Some(&server.attackers), &paths).await
}

async fn drip(
    server: &Server,
    time: Duration,
    tokens: Option<&[String]>,
    paths: &[&str],
) -> Result<String> {
    let until = Instant::now() + time;
    let one = |number: usize| async move {
        let (path, is_file) = (paths[number % paths.len()], number.is_multiple_of(2));
        let token = tokens.map(|tokens| tokens[number % tokens.len()].as_str());
        let bearer = token.map(|token| format!("Authorization: Bearer {token}\n"));
        let file = if is_file { "; filename=\"a.png\"" } else { "" };
        let head = format!(
            "POST {path} HTTP/1.1\nHost: a\n{}Transfer-Encoding: chunked\n\
             Content-Type: multipart/form-data; boundary=XX\n\n",
            bearer.unwrap_or_default()
        );
        let part = format!("--XX\r\nContent-Disposition: form-data; name=\"file\"{file}\r\n\r\n");
        let (mut taken, mut answered) = (0, 0);
        while Instant::now() < until {
            let Ok(mut connection) = Connection::open(server).await else {
                tokio::time::sleep(Duration::from_millis(200)).await;
                continue;
            };
            let begun = format!("{:x}\r\n{part}\r\n", part.len());
            if connection.head(&head).await.is_ok()
                && connection.send(begun.as_bytes()).await.is_ok()
            {
                taken += send_part(&mut connection, until).await;
            }
            if matches!(connection.response(Duration::from_millis(500)).await, Response::Status(_))
            {
                answered += 1;
            }
        }
        (taken, answered)
    };
    let outcomes = join_all((0..CONNECTIONS).map(one)).await;
    let taken: usize = outcomes.iter().map(|(taken, _)| taken).sum();
    let answered: usize = outcomes.iter().map(|(_, answered)| answered).sum();
    ensure!(answered > 0, "nothing was refused");
    Ok(format!("{answered} unfinished bodies were refused, {} MiB accepted", taken >> 20))
}

/// Sends most of a part, then one byte per second. Returns the number of accepted bytes.
async fn send_part(connection: &mut Connection, until: Instant) -> usize {
    let piece = [&b"8000\r\n"[..], &[b'x'; 0x8000], b"\r\n"].concat();
    let mut taken = 0;
    while taken < PART {
        if connection.send(&piece).await.is_err() {
            return taken;
        }
        taken += 0x8000;
    }
    while Instant::now() < until && connection.send(b"1\r\nx\r\n").await.is_ok() {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    taken
}

/// Requests long pages repeatedly over connections that read nothing.
pub async fn unread_responses(server: &Server, time: Duration) -> Result<String> {
    let paths = [
        "/api/v1/timelines/public?limit=40",
        "/api/v1/timelines/home?limit=40",
        "/api/v1/directory?limit=80",
        "/assets/icon.svg",
        "/",
    ];
    request_without_reading(server, time, &paths, 16).await
}

/// Opens streams without reading them, while the same accounts post.
pub async fn unread_streams(server: &Server, time: Duration) -> Result<String> {
    request_without_reading(
        server,
        time,
        &["/api/v1/streaming/public", "/api/v1/streaming/user"],
        1,
    )
    .await
}

async fn request_without_reading(
    server: &Server,
    time: Duration,
    paths: &[&str],
    times: usize,
) -> Result<String> {
    let one = |number: usize| async move {
        let (path, token) = (paths[number % paths.len()], &server.attackers[number % 3]);
        let request = format!("GET {path} HTTP/1.1\nHost: a\nAuthorization: Bearer {token}\n\n")
            .repeat(times);
        let mut connection = Connection::open_narrow(server).await.ok()?;
        connection.head(&request).await.ok()?;
        tokio::time::sleep(time).await;
        Some(connection)
    };
    let connections = join_all((0..READERS).map(one)).await;
    let open = connections.iter().flatten().count();
    Ok(format!("{open} connections sent requests and read nothing"))
}
