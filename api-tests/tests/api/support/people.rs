//! Common actions of accounts in tests: publishing, and changing relationships.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use siskin_entities::{
    AccountState,
    feed::{Feed, FeedStage},
};
use siskin_ids::AccountId;
use siskin_persistence::{Conn, feeds, users};
use siskin_test_support::standing;
use tokio::time::sleep;

use super::{TestApp, User};

/// Timeout that tolerates a busy machine.
const TIMEOUT: Duration = Duration::from_secs(20);

impl User {
    fn account(&self) -> AccountId {
        self.id.parse().unwrap()
    }

    /// Publishes a public text and returns the status.
    pub async fn publish(&self, text: &str) -> Value {
        self.publish_as(json!({ "status": text })).await
    }

    /// Publishes a status with these parameters and returns it.
    pub async fn publish_as(&self, parameters: Value) -> Value {
        self.json("/api/v1/statuses", parameters).await.ok()
    }

    /// Replies publicly to a status and returns the reply.
    pub async fn reply(&self, to: &Value, text: &str) -> Value {
        self.publish_as(json!({ "status": text, "in_reply_to_id": to["id"] })).await
    }

    /// Performs an action on a status (`favourite`, `reblog`, …) and returns the status in the
    /// response.
    pub async fn act(&self, action: &str, status: &Value) -> Value {
        self.post(&format!("/api/v1/statuses/{}/{action}", id(status))).await.ok()
    }
}

impl User {
    /// Performs an action on another account (`follow`, `block`, …) and returns the relationship.
    pub async fn act_on(&self, action: &str, other: &User) -> Value {
        self.post(&format!("/api/v1/accounts/{}/{action}", other.id)).await.ok()
    }

    /// Does the same with parameters.
    pub async fn act_on_with(&self, action: &str, other: &User, parameters: Value) -> Value {
        self.json(&format!("/api/v1/accounts/{}/{action}", other.id), parameters).await.ok()
    }

    /// Returns the relationship of this account to another.
    pub async fn relationship(&self, other: &User) -> Value {
        let path = format!("/api/v1/accounts/relationships?id[]={}", other.id);
        self.get(&path).await.ok()[0].take()
    }

    /// Returns the numbers of followers and of followed accounts.
    pub async fn counts(&self) -> (i64, i64) {
        let own = self.credentials().await.ok();
        (own["followers_count"].as_i64().unwrap(), own["following_count"].as_i64().unwrap())
    }

    /// Returns the types of this account's notifications, the latest first.
    pub async fn notification_types(&self) -> Vec<String> {
        let notification_types = self.get("/api/v1/notifications").await.ok();
        let kind =
            |notification_types: &Value| notification_types["type"].as_str().unwrap().to_owned();
        notification_types.as_array().unwrap().iter().map(kind).collect()
    }

    /// Locks the account: from now on it approves followers manually.
    pub async fn lock(&self) {
        self.patch("/api/v1/accounts/update_credentials", &[("locked", "true")]).await.ok();
    }
}

/// Returns the id of an entity.
pub fn id(entity: &Value) -> String {
    entity["id"].as_str().unwrap().to_owned()
}

/// Returns the ids of entities.
pub fn ids<const N: usize>(entities: [&Value; N]) -> Vec<String> {
    entities.into_iter().map(id).collect()
}

impl TestApp {
    pub async fn follow(&self, from: &User, target: &User) {
        self.follow_with(from, target, true, false, None).await;
    }

    /// Makes `from` follow `target` with these options for reblogs, notifications and languages.
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

    /// Lets an account be active through its application. This is recorded after the response.
    pub async fn be_active(&self, user: &User) {
        user.get("/api/v1/markers").await.ok();
        let (account, start) = (user.account(), Instant::now());
        while start.elapsed() < TIMEOUT {
            let load = move |conn: &mut Conn| Ok(users::load_records(conn, &[account])?);
            let records = self.app().read(load).await.unwrap();
            if records[&account].last_active_at.is_some() {
                return;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("the activity is not recorded");
    }

    pub async fn set_state(&self, user: &User, state: AccountState) {
        let account = user.account();
        self.app().write(move |tx| Ok(standing::set_state(tx, account, state)?)).await.unwrap();
    }

    /// Waits until the feed of a timeline is built. The first request for the timeline starts that
    /// in the background.
    pub async fn build_feed(&self, feed: Feed) {
        let start = Instant::now();
        while start.elapsed() < TIMEOUT {
            self.app().drain_jobs().await.unwrap();
            let state = move |conn: &mut Conn| Ok(feeds::state(conn, feed)?);
            let state = self.app().read(state).await.unwrap();
            if state.is_some_and(|state| state.stage == FeedStage::Ready) {
                return;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("{feed:?} is not stored");
    }

    /// Creates an account of another server that nevertheless has a token here, so that it can
    /// create content.
    pub async fn user_of(&self, username: &str, domain: &'static str) -> User {
        let user = self.user(username).await;
        self.set_domain(&user, domain).await;
        user
    }

    /// Turns an account with all its content into one of another server.
    pub async fn set_domain(&self, user: &User, domain: &'static str) {
        let account = user.account();
        self.app().write(move |tx| Ok(standing::set_domain(tx, account, domain)?)).await.unwrap();
    }

    /// Creates an account of another server and returns its id.
    pub async fn remote(&self, username: &'static str, domain: &'static str) -> String {
        let created = self
            .app()
            .write(move |tx| Ok(standing::remote_account(tx, username, domain)?))
            .await
            .unwrap();
        created.to_string()
    }
}

pub const GOOD: AccountState = AccountState { suspended: false, silenced: false, reachable: true };
