//! Accounts that send the requests of the scenarios, and the objects that they request.

use anyhow::{Context, Result, ensure};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::{
    client::{Client, text},
    process::Process,
    world::World,
};

/// Accounts on a page of the directory.
const PAGE: usize = 80;
/// Number of accounts among which the author of posts is chosen, even if fewer read.
const CANDIDATES: usize = 80;
/// Number of accounts that are searched for one without a relation.
const STRANGERS: usize = 40;

/// Account that sends requests, with the objects that it requests.
#[derive(Debug, Clone)]
pub struct Person {
    pub id: String,
    pub username: String,
    pub token: String,
    pub followers: i64,
    /// Account of this server that it follows.
    pub followed: String,
    /// Account that it can follow; `None` if there is none.
    pub stranger: Option<String>,
    /// Public or unlisted status in its home timeline, with replies if there is one.
    pub status: String,
    /// Hashtag in its home timeline, percent-encoded for a path.
    pub tag: String,
    /// One of its lists.
    pub list: String,
}

/// Loads the most active accounts, at most `limit` or [`CANDIDATES`]. Leaves out accounts with
/// nothing to read.
pub async fn load(world: &World, server: &Process, limit: usize) -> Result<Vec<Person>> {
    let client = Client::new(server.base());
    let accounts = directory(&client, limit.max(CANDIDATES)).await?;
    let names = accounts.iter().filter_map(|account| account["username"].as_str());
    let tokens = world.tokens(&names.collect::<Vec<_>>())?;
    let mut people = Vec::new();
    for (place, (account, token)) in accounts.iter().zip(&tokens).enumerate() {
        let others = accounts.iter().cycle().skip(place + 1).take(STRANGERS.min(accounts.len()));
        let others: Vec<String> = others.map(|one| text(one, "id")).collect::<Result<_>>()?;
        people.extend(person(&client.with_token(token), account, token, &others, place).await?);
    }
    ensure!(!people.is_empty(), "there are no accounts with a home timeline");
    Ok(people)
}

/// Loads the first `limit` accounts of the directory, the most active first.
async fn directory(client: &Client, limit: usize) -> Result<Vec<Value>> {
    let mut accounts = Vec::new();
    while accounts.len() < limit {
        let offset = accounts.len();
        let path =
            format!("/api/v1/directory?order=active&local=true&limit={PAGE}&offset={offset}");
        let page = client.list(&path).await?;
        if page.is_empty() {
            break;
        }
        accounts.extend(page);
    }
    accounts.truncate(limit);
    Ok(accounts)
}

/// Returns `None` if the account follows nobody, or if its home timeline is empty.
async fn person(
    client: &Client,
    account: &Value,
    token: &str,
    others: &[String],
    place: usize,
) -> Result<Option<Person>> {
    let id = text(account, "id")?;
    let following = client.list(&format!("/api/v1/accounts/{id}/following?limit=80")).await?;
    let is_local = |one: &&Value| one["acct"].as_str().is_some_and(|acct| !acct.contains('@'));
    let following: Vec<&Value> = following.iter().filter(is_local).collect();
    let home = client.list("/api/v1/timelines/home?limit=40").await?;
    let original = |status: &Value| -> Value {
        if status["reblog"].is_object() { status["reblog"].clone() } else { status.clone() }
    };
    // Later writes must not hide the status from this account.
    let is_open =
        |status: &Value| matches!(status["visibility"].as_str(), Some("public" | "unlisted"));
    let home: Vec<Value> = home.iter().map(original).filter(is_open).collect();
    let answered = home.iter().find(|status| status["replies_count"].as_i64() > Some(0));
    let tag = home.iter().find_map(|status| status["tags"][0]["name"].as_str());
    let (Some(followed), Some(status)) = (following.first(), answered.or(home.first())) else {
        return Ok(None);
    };
    Ok(Some(Person {
        username: text(account, "username")?,
        followers: account["followers_count"].as_i64().context("no count")?,
        followed: text(followed, "id")?,
        stranger: stranger(client, &id, others).await?,
        status: text(status, "id")?,
        tag: utf8_percent_encode(tag.unwrap_or("birds"), NON_ALPHANUMERIC).to_string(),
        list: list(client, &following, place).await?,
        token: token.to_owned(),
        id,
    }))
}

/// Returns one of its lists, for each account another one. An account without lists gets one with
/// half of the accounts that it follows.
async fn list(client: &Client, following: &[&Value], place: usize) -> Result<String> {
    let lists = client.list("/api/v1/lists").await?;
    if let Some(list) = lists.get(place % lists.len().max(1)) {
        return text(list, "id");
    }
    let id = text(&client.post("/api/v1/lists", &[("title", "Half")]).await?, "id")?;
    let half = following.iter().step_by(2).map(|one| text(one, "id"));
    let half: Vec<String> = half.collect::<Result<_>>()?;
    let form: Vec<(&str, &str)> = half.iter().map(|id| ("account_ids[]", id.as_str())).collect();
    client.post(&format!("/api/v1/lists/{id}/accounts"), &form).await?;
    Ok(id)
}

/// Returns one of the other accounts that this account neither follows nor blocks, and that does
/// not block it.
async fn stranger(client: &Client, own: &str, others: &[String]) -> Result<Option<String>> {
    let query: Vec<String> =
        others.iter().filter(|id| *id != own).map(|id| format!("id[]={id}")).collect();
    let path = format!("/api/v1/accounts/relationships?{}", query.join("&"));
    let relations = client.list(&path).await?;
    let is = |relation: &Value, fields: &[&str]| fields.iter().any(|field| relation[field] == true);
    let free = relations
        .iter()
        .find(|one| !is(one, &["following", "requested", "blocking", "blocked_by"]));
    free.map(|one| text(one, "id")).transpose()
}
