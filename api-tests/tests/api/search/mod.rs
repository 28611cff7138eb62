//! `/api/v2/search`.

mod accounts;
mod hashtags;
mod operators;
mod privacy;
mod scripts;
mod statuses;

use reqwest::Method;
use serde_json::Value;

use crate::support::{Client, Response, TestApp, User};

const SEARCH: &str = "/api/v2/search";

async fn search(client: &Client, query: &[(&str, &str)]) -> Response {
    client.send(client.request(Method::GET, SEARCH).query(query)).await
}

/// Returns the texts of the statuses that match `q`, without markup, the newest first.
async fn texts(client: &Client, q: &str) -> Vec<String> {
    texts_with(client, &[("q", q), ("type", "statuses")]).await
}

async fn texts_with(client: &Client, query: &[(&str, &str)]) -> Vec<String> {
    let found = search(client, query).await.ok();
    found["statuses"].as_array().unwrap().iter().map(text).collect()
}

/// Returns the content without its tags.
fn text(status: &Value) -> String {
    let content = status["content"].as_str().unwrap();
    content.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text)).collect()
}

/// Signs up a user who lets everyone find the public statuses.
async fn indexable(app: &TestApp, name: &str) -> User {
    let user = app.user(name).await;
    set_indexable(&user, true).await;
    user
}

async fn set_indexable(user: &User, indexable: bool) {
    let change = [("indexable", indexable.to_string())];
    user.patch("/api/v1/accounts/update_credentials", &change).await.ok();
}
