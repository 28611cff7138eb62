//! Use cases against a real database, on both engines.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod accounts;
mod crosswise;
mod documents;
mod federation;
mod feeds;
mod follows;
mod markers;
mod notifications;
mod oauth;
mod profiles;
mod relationships;
mod reports;
mod rules;
mod search;
mod setup;
mod sign_in;
mod snapshots;
mod statuses;
mod vapid;
mod world;
