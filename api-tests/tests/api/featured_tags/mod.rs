//! `/api/v1/featured_tags`, and featured hashtags in other places.

mod by_name;
mod counters;
mod index;

use serde_json::Value;

use crate::support::{Client, User};

const PATH: &str = "/api/v1/featured_tags";

impl User {
    /// Features a hashtag and returns it as the profile shows it.
    pub async fn feature(&self, name: &str) -> Value {
        self.form(PATH, &[("name", name)]).await.ok()
    }
}

/// Returns the featured hashtags of a profile: name, number of statuses and date of the last one.
async fn on_profile(viewer: &Client, owner: &User) -> Vec<(String, String, Option<String>)> {
    let tags = viewer.get(&format!("/api/v1/accounts/{}/featured_tags", owner.id)).await.ok();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let tag = |tag: &Value| {
        (
            text(&tag["name"]).unwrap(),
            text(&tag["statuses_count"]).unwrap(),
            text(&tag["last_status_at"]),
        )
    };
    tags.as_array().unwrap().iter().map(tag).collect()
}
