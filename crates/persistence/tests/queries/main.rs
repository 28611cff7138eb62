//! Queries against a real database, on both engines.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod announcements;
mod cards;
mod discovery;
mod filters;
mod long_lists;
mod notifications;
mod plans;
mod push;
mod removals;
mod scans;
mod search;
mod snapshots;
mod trends;
mod upkeep;
mod viewer_relations;
mod visibility;
mod walks;
mod world;
