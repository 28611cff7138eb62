//! `/api/v1/lists`.

mod accounts;
mod id;
mod index;

use serde_json::{Value, json};

use crate::support::{User, id};

impl User {
    /// Creates a list and returns its id.
    pub async fn list(&self, title: &str) -> String {
        self.list_as(json!({ "title": title })).await
    }

    /// Creates a list with these parameters and returns its id.
    pub async fn list_as(&self, parameters: Value) -> String {
        id(&self.json("/api/v1/lists", parameters).await.ok())
    }

    /// Adds accounts to a list.
    pub async fn enlist(&self, list: &str, people: &[&User]) {
        let ids: Vec<&String> = people.iter().map(|user| &user.id).collect();
        let path = format!("/api/v1/lists/{list}/accounts");
        assert_eq!(self.json(&path, json!({ "account_ids": ids })).await.ok(), json!({}));
    }
}
