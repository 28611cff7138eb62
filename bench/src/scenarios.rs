//! Scenarios of the load benchmark.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::world::World;

/// Number of readers that take turns.
const READERS: usize = 8;
/// Number of followers of the posting account.
const FOLLOWERS: i64 = 25;

/// Kind of request, with several variants that take turns.
#[derive(Debug, Clone)]
pub struct Scenario {
    pub name: String,
    pub requests: Vec<Request>,
}

/// HTTP request of a scenario.
#[derive(Debug, Clone)]
pub struct Request {
    pub path: String,
    /// Access token of the caller; `None` for anonymous requests.
    pub token: Option<String>,
    /// Form to send. `{}` in it is replaced by a unique number. `None` makes a `GET` request.
    pub form: Option<String>,
}

impl Request {
    fn get(path: impl Into<String>, token: Option<&str>) -> Self {
        Self { path: path.into(), token: token.map(str::to_owned), form: None }
    }
}

/// Returns the scenarios of the baseline server.
pub fn of_floor() -> Vec<Scenario> {
    ["fixed", "rows"]
        .map(|name| Scenario {
            name: name.to_owned(),
            requests: vec![Request::get(format!("/{name}"), None)],
        })
        .into()
}

/// Returns the most frequent requests of clients.
pub async fn of_siskin(world: &World, base: &str) -> Result<Vec<Scenario>> {
    let people = people(world, base).await?;
    let readers = &people[..people.len().min(READERS)];
    let each = |name: &str, path: &dyn Fn(&Person) -> String| Scenario {
        name: name.to_owned(),
        requests: readers.iter().map(|one| Request::get(path(one), Some(&one.token))).collect(),
    };
    let mut scenarios = vec![
        each("home", &|_| "/api/v1/timelines/home".to_owned()),
        each("public", &|_| "/api/v1/timelines/public".to_owned()),
        each("tag", &|one| format!("/api/v1/timelines/tag/{}", one.tag)),
        each("account", &|one| format!("/api/v1/accounts/{}/statuses", one.followed)),
        each("notifications", &|_| "/api/v1/notifications".to_owned()),
        each("context", &|one| format!("/api/v1/statuses/{}/context", one.status)),
        each("status", &|one| format!("/api/v1/statuses/{}", one.status)),
        each("search", &|_| "/api/v1/accounts/search?q=a&limit=20".to_owned()),
    ];
    scenarios.push(Scenario {
        name: "instance".to_owned(),
        requests: vec![Request::get("/api/v2/instance", None)],
    });
    if readers.iter().all(|one| one.list.is_some()) {
        let list = |one: &Person| {
            format!("/api/v1/timelines/list/{}", one.list.as_deref().unwrap_or_default())
        };
        scenarios.insert(3, each("list", &list));
    }
    let author = people
        .iter()
        .min_by_key(|one| (one.followers - FOLLOWERS).abs())
        .context("there are no accounts")?;
    let text = "The+same+words+every+time,+about+a+walk+along+the+river.+%23walk+{}";
    let post = Request {
        path: "/api/v1/statuses".to_owned(),
        token: Some(author.token.clone()),
        form: Some(format!("status={text}")),
    };
    let name = format!("post to {} followers", author.followers);
    scenarios.push(Scenario { name, requests: vec![post] });
    Ok(scenarios)
}

/// Account that sends requests, with the objects that it requests.
#[derive(Debug)]
struct Person {
    token: String,
    followers: i64,
    /// Account that it follows.
    followed: String,
    /// Status with replies in its home timeline, if there is one.
    status: String,
    /// Hashtag in its home timeline.
    tag: String,
    /// List with half of the accounts that it follows; `None` if the server has no lists.
    list: Option<String>,
}

async fn people(world: &World, base: &str) -> Result<Vec<Person>> {
    let owner = token(world, "demo")?;
    let client = Client { base, token: &owner };
    let accounts = client.get("/api/v1/directory?order=active&limit=80").await?;
    let mut people = Vec::new();
    for account in accounts.as_array().context("the directory is not a list")? {
        let name = text(account, "username")?;
        people.push(person(world, base, account, &name).await?);
    }
    ensure!(!people.is_empty(), "there are no accounts");
    Ok(people)
}

async fn person(world: &World, base: &str, account: &Value, name: &str) -> Result<Person> {
    let token = token(world, name)?;
    let client = Client { base, token: &token };
    let id = text(account, "id")?;
    let following = client.get(&format!("/api/v1/accounts/{id}/following?limit=80")).await?;
    let following = following.as_array().context("no list")?.clone();
    let home = client.get("/api/v1/timelines/home?limit=40").await?;
    let home = home.as_array().context("no timeline")?.clone();
    let original = |status: &Value| -> Value {
        if status["reblog"].is_object() { status["reblog"].clone() } else { status.clone() }
    };
    let home: Vec<Value> = home.iter().map(original).collect();
    let answered = home.iter().find(|status| status["replies_count"].as_i64() > Some(0));
    let tag = home.iter().find_map(|status| status["tags"][0]["name"].as_str());
    Ok(Person {
        followers: account["followers_count"].as_i64().context("no count")?,
        followed: text(following.first().context("the account follows no account")?, "id")?,
        status: text(answered.or(home.first()).context("an empty home")?, "id")?,
        tag: tag.unwrap_or("birds").to_owned(),
        list: list(&client, &following).await?,
        token,
    })
}

async fn list(client: &Client<'_>, following: &[Value]) -> Result<Option<String>> {
    let Some(created) = client.post("/api/v1/lists", &[("title", "Half")]).await? else {
        return Ok(None);
    };
    let id = text(&created, "id")?;
    let half = following.iter().step_by(2).map(|one| text(one, "id"));
    let half: Vec<(&str, String)> =
        half.map(|id| Ok(("account_ids[]", id?))).collect::<Result<_>>()?;
    let half: Vec<(&str, &str)> = half.iter().map(|(name, id)| (*name, id.as_str())).collect();
    client.post(&format!("/api/v1/lists/{id}/accounts"), &half).await?;
    Ok(Some(id))
}

fn token(world: &World, name: &str) -> Result<String> {
    let printed = world.run(&["tokens", "create", "--account", name, "--scopes", "read write"])?;
    text(&serde_json::from_str(&printed)?, "access_token")
}

fn text(value: &Value, field: &str) -> Result<String> {
    Ok(value[field].as_str().with_context(|| format!("no {field} in {value}"))?.to_owned())
}

struct Client<'a> {
    base: &'a str,
    token: &'a str,
}

impl Client<'_> {
    async fn get(&self, path: &str) -> Result<Value> {
        let request = reqwest::Client::new().get(format!("{}{path}", self.base));
        let response = request.bearer_auth(self.token).send().await?.error_for_status()?;
        Ok(response.json().await?)
    }

    /// Sends a `POST` request. Returns `None` if the route does not exist.
    async fn post(&self, path: &str, form: &[(&str, &str)]) -> Result<Option<Value>> {
        let request = reqwest::Client::new().post(format!("{}{path}", self.base));
        let response = request.bearer_auth(self.token).form(form).send().await?;
        if response.status() == reqwest::StatusCode::NOT_FOUND {
            return Ok(None);
        }
        Ok(Some(response.error_for_status()?.json().await?))
    }
}
