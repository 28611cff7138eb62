//! `/api/v1/polls`, and polls of statuses.

mod end;
mod get;
mod votes;

use serde_json::{Value, json};

use crate::support::{Client, Response, User, id};

/// Publishes a status with a public poll of an hour and returns it.
pub async fn ask(author: &User, options: &[&str]) -> Value {
    ask_as(author, json!({ "options": options, "expires_in": 3600 }), "public").await
}

/// Publishes a status with these parameters of the poll and returns it.
pub async fn ask_as(author: &User, poll: Value, visibility: &str) -> Value {
    let parameters = json!({ "status": "Well?", "visibility": visibility, "poll": poll });
    author.publish_as(parameters).await
}

/// Returns the path of the poll of a status.
pub fn path(status: &Value) -> String {
    format!("/api/v1/polls/{}", id(&status["poll"]))
}

/// Votes for the options with these indexes.
pub async fn vote(voter: &Client, status: &Value, choices: Value) -> Response {
    voter.json(&format!("{}/votes", path(status)), json!({ "choices": choices })).await
}

/// Loads the poll for a viewer.
pub async fn read(viewer: &Client, status: &Value) -> Value {
    viewer.get(&path(status)).await.ok()
}

/// Returns the number of votes of each option.
pub fn votes(poll: &Value) -> Vec<Option<i64>> {
    let options = poll["options"].as_array().unwrap();
    options.iter().map(|option| option["votes_count"].as_i64()).collect()
}
