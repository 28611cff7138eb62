//! Texts with few characters but many bytes.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use futures_util::future::join_all;

use crate::server::{ATTACKER, PEOPLE, Server, client};

/// Maximum length of a response, in bytes.
const MAX_RESPONSE_BYTES: usize = 8 << 20;

/// Sends posts and profile texts of megabytes with few characters, then reads pages with those
/// accepted.
pub async fn few_characters_of_many_bytes(server: &Server, time: Duration) -> Result<String> {
    let link = format!("https://x.example/{}", "&".repeat(1_900_000));
    let marks = format!("a{}", "\u{301}".repeat(900_000));
    let families = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}".repeat(500);
    let (mut refused, mut taken) = (0, 0);
    for token in &server.attackers {
        let client = client(ATTACKER, Some(token))?;
        let post = |field, text: &str| {
            client.post(server.url("/api/v1/statuses")).form(&[("status", "x"), (field, text)])
        };
        let profile = |field, text: &str| {
            let url = server.url("/api/v1/accounts/update_credentials");
            client.patch(url).form(&[(field, text)])
        };
        let mut requests = Vec::new();
        for text in [&link, &marks] {
            requests.extend(["status", "spoiler_text"].map(|field| post(field, text)));
            requests.extend(["display_name", "note"].map(|field| profile(field, text)));
        }
        requests.extend((0..20).map(|_| post("status", &families)));
        for request in requests {
            if request.send().await?.status().is_success() { taken += 1 } else { refused += 1 }
        }
    }
    let longest = read_pages(server, time).await?;
    ensure!(longest <= MAX_RESPONSE_BYTES, "a response had {longest} bytes");
    Ok(format!(
        "{refused} texts were refused, {taken} accepted; the longest page has {} KiB",
        longest >> 10
    ))
}

/// Reads public pages repeatedly. Returns the length of the longest one in bytes.
async fn read_pages(server: &Server, time: Duration) -> Result<usize> {
    let until = Instant::now() + time;
    let anonymous = client(ATTACKER, None)?;
    let reader = client(PEOPLE, Some(&server.reader))?;
    let read = async |number: usize| {
        let mut longest = 0;
        while Instant::now() < until {
            let page = server.url("/api/v1/timelines/public?limit=40");
            let response =
                if number == 0 { reader.get(page) } else { anonymous.get(page) }.send().await;
            let Ok(response) = response else { continue };
            longest = longest.max(response.bytes().await.map_or(0, |bytes| bytes.len()));
            let pause = if number == 0 { 1000 } else { 50 };
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
        longest
    };
    Ok(join_all((0..20).map(read)).await.into_iter().max().unwrap_or_default())
}
