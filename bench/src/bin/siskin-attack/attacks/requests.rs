//! Requests that bypass a limit or request too much at once.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use futures_util::future::join_all;

use crate::server::{ATTACKER, Server, client};

/// Number of concurrent requests.
const CLIENTS: usize = 20;

/// Requests one page with different spellings of its path.
pub async fn path_spellings(server: &Server, time: Duration) -> Result<String> {
    let statuses = flood(server, time, |number| {
        let path = "api/v1/instance/rules".bytes().enumerate().map(|(at, letter)| {
            let is_escaped = letter != b'/' && (number >> (at % 16)) & 1 == 1;
            if is_escaped { format!("%{letter:02x}") } else { char::from(letter).to_string() }
        });
        format!("/{}", path.collect::<String>())
    });
    let [answered, limited, other] = statuses.await?;
    ensure!(answered <= 300, "{answered} requests were answered, but the limit is 300");
    ensure!(limited > 0 && other == 0, "{limited} requests were limited, {other} failed otherwise");
    Ok(format!("{answered} spellings were answered, {limited} were limited"))
}

/// Requests a thousand statuses or accounts at once.
pub async fn lists_of_ids(server: &Server, time: Duration) -> Result<String> {
    let statuses = flood(server, time, |number| {
        let what = if number % 2 == 0 { "statuses" } else { "accounts" };
        let ids: Vec<_> = (0..1000).map(|id| format!("id[]={id}")).collect();
        format!("/api/v1/{what}?{}", ids.join("&"))
    });
    let [answered, limited, refused] = statuses.await?;
    ensure!(answered == 0, "{answered} lists of a thousand were answered");
    Ok(format!("{refused} lists were refused, {limited} were limited"))
}

/// Sends requests as fast as possible. Returns the number of responses with 200, 429 and other
/// statuses.
async fn flood(
    server: &Server,
    time: Duration,
    path: impl Fn(usize) -> String,
) -> Result<[usize; 3]> {
    let (client, until) = (client(ATTACKER, None)?, Instant::now() + time);
    let (client, path) = (&client, &path);
    let one = |begin: usize| async move {
        let mut counts = [0; 3];
        for number in (begin..).step_by(CLIENTS).take_while(|_| Instant::now() < until) {
            let response = client.get(server.url(&path(number))).send().await;
            let status = response.map_or(0, |response| response.status().as_u16());
            counts[match status {
                200 => 0,
                429 => 1,
                _ => 2,
            }] += 1;
        }
        counts
    };
    let counts = join_all((0..CLIENTS).map(one)).await;
    Ok([0, 1, 2].map(|kind| counts.iter().map(|counts| counts[kind]).sum()))
}
