//! Attacks that fill the disk without an account.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use futures_util::future::join_all;

use crate::server::{ATTACKER, Server, client};

/// Number of bytes by which anonymous requests may grow the database.
const GROWTH: u64 = 16 << 20;

/// Registers applications as fast as possible.
pub async fn registered_without_end(server: &Server, time: Duration) -> Result<String> {
    let (client, until, before) =
        (client(ATTACKER, None)?, Instant::now() + time, server.database_bytes());
    let uris: Vec<_> =
        (0..5).map(|number| format!("https://a.example/{number}/{}", "x".repeat(200))).collect();
    let form = [("client_name", "x"), ("redirect_uris", &uris.join(" "))];
    let register = async |_| {
        let mut registered = 0;
        while Instant::now() < until {
            let response = client.post(server.url("/api/v1/apps")).form(&form).send().await;
            registered += u32::from(response.is_ok_and(|response| response.status().is_success()));
        }
        registered
    };
    let registered: u32 = join_all((0..10).map(register)).await.into_iter().sum();
    let grown = server.database_bytes().saturating_sub(before);
    ensure!(grown <= GROWTH, "{registered} applications take {} MiB", grown >> 20);
    Ok(format!("{registered} applications were registered and take {} KiB", grown >> 10))
}
