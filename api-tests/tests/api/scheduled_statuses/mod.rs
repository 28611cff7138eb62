//! `/api/v1/scheduled_statuses`, and the publishing of scheduled statuses.

mod id;
mod index;
mod media;
mod publishing;

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Response, TestApp, User};

pub const PATH: &str = "/api/v1/scheduled_statuses";

/// Returns the time that is `by` ahead.
pub fn ahead(app: &TestApp, by: Duration) -> String {
    app.app().now().after(by).to_string()
}

/// Sends a request for a status with these parameters in an hour.
pub async fn ask(app: &TestApp, author: &User, parameters: Value) -> Response {
    let mut parameters = parameters;
    parameters["scheduled_at"] = json!(ahead(app, Duration::from_hours(1)));
    author.json("/api/v1/statuses", parameters).await
}

/// Schedules a status with these parameters in an hour and returns it.
pub async fn schedule(app: &TestApp, author: &User, parameters: Value) -> Value {
    ask(app, author, parameters).await.ok()
}

/// Returns the path of a scheduled status.
pub fn path(scheduled: &Value) -> String {
    format!("{PATH}/{}", crate::support::id(scheduled))
}

/// Advances the clock by an hour and runs the due jobs.
pub async fn an_hour_later(app: &TestApp) {
    app.advance(Duration::from_hours(1));
    app.app().drain_jobs().await.unwrap();
}

/// Returns the published statuses of an account, as it sees them, the latest first.
pub async fn published(author: &User) -> Vec<Value> {
    let own = author.get(&format!("/api/v1/accounts/{}/statuses", author.id)).await.ok();
    own.as_array().unwrap().clone()
}

/// Returns the ids of the scheduled statuses of an account.
pub async fn waiting(author: &User) -> Vec<String> {
    author.get(PATH).await.ids()
}
