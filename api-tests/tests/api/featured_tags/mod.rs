//! `/api/v1/featured_tags` and what is about them elsewhere.

mod by_name;
mod counters;
mod index;

use serde_json::Value;

use crate::support::{Client, User};

const PATH: &str = "/api/v1/featured_tags";

impl User {
    /// Features a hashtag; returns it as it stands on the profile.
    pub async fn feature(&self, name: &str) -> Value {
        self.form(PATH, &[("name", name)]).await.ok()
    }
}

/// Name, number of statuses and day of the last one of the hashtags on a profile.
async fn on_profile(reader: &Client, owner: &User) -> Vec<(String, String, Option<String>)> {
    let tags = reader.get(&format!("/api/v1/accounts/{}/featured_tags", owner.id)).await.ok();
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
