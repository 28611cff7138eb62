//! `/api/v1/polls`, and what polls are to the statuses that ask them.

mod end;
mod get;
mod votes;

use serde_json::{Value, json};

use crate::support::{Client, Response, User, id};

/// Asks everybody for an hour; returns the status.
pub async fn ask(author: &User, options: &[&str]) -> Value {
    ask_as(author, json!({ "options": options, "expires_in": 3600 }), "public").await
}

/// Asks with these parameters of the poll; returns the status.
pub async fn ask_as(author: &User, poll: Value, visibility: &str) -> Value {
    let parameters = json!({ "status": "Well?", "visibility": visibility, "poll": poll });
    author.publish_as(parameters).await
}

/// The path of the poll of a status.
pub fn path(status: &Value) -> String {
    format!("/api/v1/polls/{}", id(&status["poll"]))
}

/// Votes for the options at these positions.
pub async fn vote(voter: &Client, status: &Value, choices: Value) -> Response {
    voter.json(&format!("{}/votes", path(status)), json!({ "choices": choices })).await
}

/// The poll as somebody reads it.
pub async fn read(reader: &Client, status: &Value) -> Value {
    reader.get(&path(status)).await.ok()
}

/// The votes of each option.
pub fn votes(poll: &Value) -> Vec<Option<i64>> {
    let options = poll["options"].as_array().unwrap();
    options.iter().map(|option| option["votes_count"].as_i64()).collect()
}
