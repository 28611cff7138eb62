//! `/api/v1/scheduled_statuses`, and what becomes of scheduled statuses at their time.

mod id;
mod index;
mod media;
mod publishing;

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Response, TestApp, User};

pub const PATH: &str = "/api/v1/scheduled_statuses";

/// The time that lies so far ahead.
pub fn ahead(app: &TestApp, by: Duration) -> String {
    app.app().now().after(by).to_string()
}

/// Asks for a status with these parameters in an hour.
pub async fn ask(app: &TestApp, author: &User, parameters: Value) -> Response {
    let mut parameters = parameters;
    parameters["scheduled_at"] = json!(ahead(app, Duration::from_hours(1)));
    author.json("/api/v1/statuses", parameters).await
}

/// Schedules a status with these parameters for in an hour; returns it.
pub async fn schedule(app: &TestApp, author: &User, parameters: Value) -> Value {
    ask(app, author, parameters).await.ok()
}

/// The path of a scheduled status.
pub fn path(scheduled: &Value) -> String {
    format!("{PATH}/{}", crate::support::id(scheduled))
}

/// Lets an hour pass, and what is due then be published.
pub async fn an_hour_later(app: &TestApp) {
    app.advance(Duration::from_hours(1));
    app.app().drain_jobs().await.unwrap();
}

/// What somebody has published, as they see it, the latest first.
pub async fn published(author: &User) -> Vec<Value> {
    let own = author.get(&format!("/api/v1/accounts/{}/statuses", author.id)).await.ok();
    own.as_array().unwrap().clone()
}

/// What somebody has scheduled.
pub async fn waiting(author: &User) -> Vec<String> {
    author.get(PATH).await.ids()
}
