//! `/api/v1/announcements`.

mod dismiss;
mod get;
mod reactions;
mod streams;

use serde_json::Value;
use siskin_ids::AnnouncementId;

use crate::support::{Client, Response};

const LIST: &str = "/api/v1/announcements";

/// Returns the announcements that a client sees.
async fn list(client: &Client) -> Vec<Value> {
    client.get(LIST).await.ok().as_array().unwrap().clone()
}

/// Returns the texts of the announcements as HTML.
async fn contents(client: &Client) -> Vec<String> {
    let text = |one: &Value| one["content"].as_str().unwrap().to_owned();
    list(client).await.iter().map(text).collect()
}

fn reaction_path(id: AnnouncementId, name: &str) -> String {
    format!("{LIST}/{id}/reactions/{name}")
}

async fn react(client: &Client, id: AnnouncementId, name: &str) -> Response {
    client.send(client.request(reqwest::Method::PUT, &reaction_path(id, name))).await
}

async fn unreact(client: &Client, id: AnnouncementId, name: &str) -> Response {
    client.delete(&reaction_path(id, name)).await
}
