//! What tests of trends need: crowds that use a hashtag or a link, articles and staff.

use serde_json::{Value, json};
use siskin_test_support::standing;

use super::{Client, TestApp, User};

impl TestApp {
    /// Creates accounts with the names `NAME0`, `NAME1`, ….
    pub async fn crowd(&self, name: &str, size: usize) -> Vec<User> {
        let mut crowd = Vec::new();
        for number in 0..size {
            crowd.push(self.user(&format!("{name}{number}")).await);
        }
        crowd
    }

    /// Creates an account that wants to be found, so that its statuses can trend.
    pub async fn famous(&self, name: &str) -> User {
        let user = self.user(name).await;
        let shown = [("discoverable", "true")];
        user.patch("/api/v1/accounts/update_credentials", &shown).await.ok();
        user
    }

    /// Creates a moderator and returns a client with all scopes of staff.
    pub async fn moderator(&self, name: &str) -> Client {
        self.staff(name, "Moderator").await.client
    }

    /// Turns the page with this address, to which a status links, into an article.
    pub async fn make_article(&self, address: &'static str) {
        self.app().write(move |tx| Ok(standing::make_article(tx, address)?)).await.unwrap();
    }

    /// Counts what trends now.
    pub async fn count_trends(&self) {
        self.app().count_trends().await.unwrap();
    }

    /// Lets everything trend without a review.
    pub async fn trend_by_default(&self) {
        let key = "trends.by_default".to_owned();
        self.app().change_setting(key, "true".to_owned()).await.unwrap();
    }
}

/// Lets each account publish the same text.
pub async fn all_publish(crowd: &[User], text: &str) -> Vec<Value> {
    let mut statuses = Vec::new();
    for user in crowd {
        statuses.push(user.publish_as(json!({ "status": text })).await);
    }
    statuses
}

/// Lets each account favourite the status.
pub async fn all_favourite(crowd: &[User], status: &Value) {
    for user in crowd {
        user.act("favourite", status).await;
    }
}

/// Returns this field of the entities of a list.
pub fn each(list: &Value, field: &str) -> Vec<String> {
    let items = list.as_array().unwrap_or_else(|| panic!("not a list: {list}"));
    items.iter().map(|item| item[field].as_str().unwrap().to_owned()).collect()
}
