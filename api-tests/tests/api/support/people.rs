//! What people do in many tests: who writes what, and how they stand to each other.

use serde_json::{Value, json};
use siskin_entities::AccountState;
use siskin_ids::AccountId;
use siskin_test_support::{builders, standing};

use super::{TestApp, User};

impl User {
    fn account(&self) -> AccountId {
        self.id.parse().unwrap()
    }

    /// Publishes a text for everyone; returns the status.
    pub async fn publish(&self, text: &str) -> Value {
        self.publish_as(json!({ "status": text })).await
    }

    /// Publishes a status with these parameters; returns it.
    pub async fn publish_as(&self, parameters: Value) -> Value {
        self.json("/api/v1/statuses", parameters).await.ok()
    }

    /// Answers a status publicly; returns the answer.
    pub async fn reply(&self, to: &Value, text: &str) -> Value {
        self.publish_as(json!({ "status": text, "in_reply_to_id": to["id"] })).await
    }

    /// Does something with a status (`favourite`, `reblog`, …); returns the answer's status.
    pub async fn act(&self, action: &str, status: &Value) -> Value {
        self.post(&format!("/api/v1/statuses/{}/{action}", id(status))).await.ok()
    }
}

/// The id of an entity.
pub fn id(entity: &Value) -> String {
    entity["id"].as_str().unwrap().to_owned()
}

/// The ids of entities.
pub fn ids<const N: usize>(entities: [&Value; N]) -> Vec<String> {
    entities.into_iter().map(id).collect()
}

impl TestApp {
    pub async fn follow(&self, from: &User, target: &User) {
        self.follow_with(from, target, true, false, None).await;
    }

    /// Has `from` follow `target`, with reblogs, notifications and languages as said.
    pub async fn follow_with(
        &self,
        from: &User,
        target: &User,
        reblogs: bool,
        notify: bool,
        languages: Option<&'static str>,
    ) {
        let (from, target) = (from.account(), target.account());
        self.app()
            .write(move |tx| {
                let follow = standing::follow(tx, from, target)?;
                Ok(standing::set_follow(tx, follow, reblogs, notify, languages)?)
            })
            .await
            .unwrap();
    }

    pub async fn block(&self, from: &User, target: &User) {
        let (from, target) = (from.account(), target.account());
        self.app().write(move |tx| Ok(builders::block(tx, from, target)?)).await.unwrap();
    }

    pub async fn mute(&self, from: &User, target: &User) {
        let (from, target) = (from.account(), target.account());
        self.app().write(move |tx| Ok(builders::mute(tx, from, target)?)).await.unwrap();
    }

    pub async fn set_state(&self, user: &User, state: AccountState) {
        let account = user.account();
        self.app().write(move |tx| Ok(standing::set_state(tx, account, state)?)).await.unwrap();
    }

    /// Makes an account of another server; returns its id.
    pub async fn remote(&self, username: &'static str, domain: &'static str) -> String {
        let made = self
            .app()
            .write(move |tx| Ok(standing::remote_account(tx, username, domain)?))
            .await
            .unwrap();
        made.to_string()
    }
}

pub const GOOD: AccountState = AccountState { suspended: false, silenced: false, reachable: true };
