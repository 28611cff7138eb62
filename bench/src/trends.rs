//! Scenario of trends: the lists of hashtags, links and statuses, as all readers request them.

use anyhow::{Result, ensure};
use siskin_test_support::site::Site;

use crate::{
    client::{Client, text},
    people::Person,
    process::Process,
    scenarios::{Request, Scenario},
    world::World,
};

/// Name of the scenario.
pub const NAME: &str = "trends";
/// Paths of the lists, and the least number of their entries.
const LISTS: [(&str, usize); 3] = [
    ("/api/v1/trends/tags?limit=20", 20),
    ("/api/v1/trends/links?limit=20", 20),
    ("/api/v1/trends/statuses?limit=20", 1),
];
/// Number of hashtags and links that trend.
const ENTRIES: usize = 20;
/// Number of accounts that use each of them. A link needs 15.
const USERS: usize = 16;

/// Fills the lists, and returns their scenario. Returns `None` if the world has too few accounts.
///
/// # Errors
/// If a request fails, or if the lists stay empty.
pub async fn prepare(
    world: &World,
    server: &Process,
    people: &[Person],
    readers: usize,
    site: &Site,
) -> Result<Option<Scenario>> {
    let Some(users) = people.get(..USERS) else { return Ok(None) };
    let client = Client::new(server.base());
    let mut statuses = Vec::new();
    for number in 0..ENTRIES {
        for one in users {
            let link = site.url(&format!("/article/{number}"));
            let status = format!("#popular{number} {link}");
            let client = client.with_token(&one.token);
            let posted = client.post("/api/v1/statuses", &[("status", &status)]).await?;
            statuses.push(text(&posted, "id")?);
        }
    }
    for id in statuses.iter().rev().take(USERS) {
        for one in users {
            let favourite = format!("/api/v1/statuses/{id}/favourite");
            // The author may be blocked.
            let _ = client.with_token(&one.token).post(&favourite, &[]).await;
        }
    }
    // The previews of the links are made in the background.
    server.settle()?;
    world.run(&["trends", "refresh"])?;
    for (path, least) in LISTS {
        let number = client.list(path).await?.len();
        ensure!(number >= least, "{path} has {number} entries");
    }
    let readers = people.iter().take(readers);
    let requests =
        readers.flat_map(|one| LISTS.map(|(path, _)| Request::get(path, Some(&one.token))));
    Ok(Some(Scenario { name: NAME, detail: None, requests: requests.collect() }))
}
