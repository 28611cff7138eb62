//! `/api/v2/filters`, `/api/v1/filters`, and the effect of filters on statuses.

mod contexts;
pub mod events;
mod id;
mod index;
mod keywords;
mod legacy;
mod limits;
mod matching;
mod preview;
mod statuses;

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Client, Response, User, id};

pub const PATH: &str = "/api/v2/filters";
pub const LEGACY: &str = "/api/v1/filters";
pub const EVERYWHERE: [&str; 5] = ["home", "notifications", "public", "thread", "account"];

/// Creates a filter with these parameters and returns it.
pub async fn make(owner: &User, parameters: Value) -> Value {
    owner.json(PATH, parameters).await.ok()
}

/// Creates a filter that warns in all contexts of these keywords, each with its `whole_word`.
pub async fn warn_of(owner: &User, keywords: &[(&str, bool)]) -> Value {
    let keyword = |(keyword, whole_word): &(&str, bool)| json!({ "keyword": keyword, "whole_word": whole_word });
    let keywords: Vec<Value> = keywords.iter().map(keyword).collect();
    let parameters =
        json!({ "title": "Words", "context": EVERYWHERE, "keywords_attributes": keywords });
    make(owner, parameters).await
}

/// Returns the path of a filter.
pub fn path(filter: &Value) -> String {
    format!("{PATH}/{}", id(filter))
}

/// Sends PUT with JSON.
pub async fn put(owner: &Client, path: &str, body: Value) -> Response {
    owner.send(owner.request(Method::PUT, path).json(&body)).await
}

/// Loads a stored filter.
pub async fn read(owner: &User, filter: &Value) -> Value {
    owner.get(&path(filter)).await.ok()
}

/// Returns the stored keywords of a filter, as they were typed.
pub async fn keyword_texts(owner: &User, filter: &Value) -> Vec<String> {
    let filter = read(owner, filter).await;
    let keywords = filter["keywords"].as_array().unwrap().iter();
    keywords.map(|keyword| keyword["keyword"].as_str().unwrap().to_owned()).collect()
}

/// Loads a status for a viewer.
pub async fn shown(viewer: &User, status: &Value) -> Value {
    viewer.get(&format!("/api/v1/statuses/{}", id(status))).await.ok()
}

/// Returns `true` if the viewer's filters mark a status.
pub async fn is_marked(viewer: &User, status: &Value) -> bool {
    !shown(viewer, status).await["filtered"].as_array().unwrap().is_empty()
}
