//! Processor time of push messages: one account posts, and all who follow it get a message on each
//! of their devices.

use std::{thread, time::Duration};

use anyhow::{Context, Result, ensure};
use siskin_test_support::site::Site;

use crate::{
    client::Client,
    people::Person,
    process::Process,
    site::{self, PUSH},
    world::World,
};

/// Name for the selection of this measurement.
pub const NAME: &str = "push";
/// Number of posts.
const POSTS: usize = 3;
/// Time for which no message arrives after the last one.
const QUIET: Duration = Duration::from_secs(2);
/// Keys of a client, from an example of RFC 8291 (appendix A). Nothing decrypts the messages.
const P256DH: &str =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

/// Measurement of push messages.
#[derive(Debug, Clone, Copy)]
pub struct Pushed {
    /// Number of messages for each post.
    pub messages: usize,
    /// Processor time for each message, in milliseconds. Includes the post and its notifications.
    pub processor: f64,
}

/// Measures posts of the first account. All others subscribe to its posts and to messages, each on
/// several devices, so that there are at least `messages`.
///
/// # Errors
/// If a request fails, or if posts differ in their number of messages.
pub async fn measure(
    world: &World,
    server: &Process,
    people: &[Person],
    messages: usize,
    site: &Site,
) -> Result<Pushed> {
    let (author, others) = people.split_first().context("there are no accounts")?;
    ensure!(!others.is_empty(), "there is only one account");
    let client = Client::new(server.base());
    for one in others {
        let follow = format!("/api/v1/accounts/{}/follow", author.id);
        // A blocked account cannot follow, and gets no messages.
        let _ = client.with_token(&one.token).post(&follow, &[("notify", "true")]).await;
    }
    subscribe(world, &client, others, messages.div_ceil(others.len()), site).await?;
    // Opens the connections.
    let messages = post(&client, author, server, site).await?;
    let before = server.processor_seconds()?;
    for _ in 0..POSTS {
        let number = post(&client, author, server, site).await?;
        ensure!(number == messages, "{number} messages for a post, and {messages} for another");
    }
    let used = server.processor_seconds()? - before;
    let all = u32::try_from(messages * POSTS)?;
    Ok(Pushed { messages, processor: used * 1000.0 / f64::from(all) })
}

/// Subscribes this number of devices of each account.
async fn subscribe(
    world: &World,
    client: &Client,
    people: &[Person],
    devices: usize,
    site: &Site,
) -> Result<()> {
    let names = people.iter().flat_map(|one| std::iter::repeat_n(one.username.as_str(), devices));
    for (number, token) in world.tokens(&names.collect::<Vec<_>>())?.iter().enumerate() {
        let endpoint = site.url(&format!("{PUSH}{number}"));
        let form = [
            ("subscription[endpoint]", endpoint.as_str()),
            ("subscription[keys][p256dh]", P256DH),
            ("subscription[keys][auth]", AUTH),
            ("subscription[standard]", "true"),
            ("data[alerts][status]", "true"),
        ];
        client.with_token(token).post("/api/v1/push/subscription", &form).await?;
    }
    Ok(())
}

/// Posts, and returns the number of messages when they have all arrived.
async fn post(client: &Client, author: &Person, server: &Process, site: &Site) -> Result<usize> {
    let before = site::messages(site);
    let text = [("status", "The same words every time, about a walk along the river.")];
    client.with_token(&author.token).post("/api/v1/statuses", &text).await?;
    let mut arrived = before;
    loop {
        thread::sleep(QUIET);
        server.settle()?;
        let now = site::messages(site);
        if now == arrived && now > before {
            return Ok(now - before);
        }
        ensure!(now > arrived, "no message arrives");
        arrived = now;
    }
}
