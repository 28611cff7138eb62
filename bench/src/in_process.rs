//! Internal counters of the server: SQL statements per request, and the batching in the writer
//! lane. They are measured in this process, separately from the load.

use std::{collections::BTreeMap, time::Duration};

use anyhow::{Context, Result};
use futures_util::future::join_all;
use siskin_persistence::Counted;
use siskin_server::Running;

use crate::{
    scenarios::{MIXED, POSTING, Request, Scenario},
    world::World,
};

/// Number of concurrent writers, and of posts per writer.
const WRITERS: usize = 8;
const POSTS: usize = 50;

/// Results of the internal measurements.
#[derive(Debug, Default)]
pub struct InProcess {
    /// Number of statements of one request per scenario, with warm caches.
    pub statements: BTreeMap<&'static str, u32>,
    pub lane: Option<Lane>,
}

/// Use of the writer lane by concurrent writers.
#[derive(Debug, Clone, Copy)]
pub struct Lane {
    pub posts: usize,
    pub commits: u64,
    /// Average time for which one post held the lane.
    pub lane_time: Duration,
}

/// Counts the statements of each scenario.
pub async fn measure(
    world: &World,
    scenarios: impl Iterator<Item = &Scenario>,
) -> Result<InProcess> {
    let running = siskin_server::start(world.config()).await?;
    let (mut in_process, client) = (InProcess::default(), reqwest::Client::new());
    // The requests of the mixed scenario are those of the others.
    for scenario in scenarios.filter(|scenario| scenario.name != MIXED) {
        let request = scenario.requests.first().context("the scenario has no request")?;
        send(&client, &running, request, "warm").await?;
        drop(running.app.store().take_counted());
        send(&client, &running, request, "counted").await?;
        let counted = running.app.store().take_counted();
        let cost = counted.iter().filter(|cost| is_of_request(cost)).map(|cost| cost.statements);
        in_process.statements.insert(scenario.name, cost.sum());
        if scenario.name == POSTING {
            in_process.lane = Some(crowd(&client, &running, request).await?);
        }
    }
    running.stop().await?;
    Ok(in_process)
}

/// Returns `true` for statements of requests. Background work is not counted.
fn is_of_request(cost: &Counted) -> bool {
    cost.at.file().contains("crates/http")
}

async fn crowd(client: &reqwest::Client, running: &Running, request: &Request) -> Result<Lane> {
    let before = running.app.store().commits();
    drop(running.app.store().take_counted());
    let writers = (0..WRITERS).map(|writer| async move {
        for number in 0..POSTS {
            send(client, running, request, &format!("crowd-{writer}-{number}")).await?;
        }
        Ok::<_, anyhow::Error>(())
    });
    join_all(writers).await.into_iter().collect::<Result<()>>()?;
    let commits = running.app.store().commits() - before;
    let counted = running.app.store().take_counted();
    let lane_time: Duration =
        counted.iter().filter(|cost| cost.writes && is_of_request(cost)).map(|c| c.took).sum();
    let posts = WRITERS * POSTS;
    Ok(Lane { posts, commits, lane_time: lane_time / u32::try_from(posts)? })
}

async fn send(
    client: &reqwest::Client,
    running: &Running,
    request: &Request,
    number: &str,
) -> Result<()> {
    let address = format!("http://{}{}", running.address, request.path);
    let mut builder = match &request.form {
        None => client.get(address),
        Some(form) => client
            .post(address)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .body(form.replace("{}", number)),
    };
    if let Some(token) = &request.token {
        builder = builder.bearer_auth(token);
    }
    builder.send().await?.error_for_status()?.bytes().await?;
    Ok(())
}
