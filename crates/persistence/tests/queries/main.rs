//! Queries against a real database, on both engines.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod activity;
mod admin_accounts;
mod announcements;
mod audit;
mod cards;
mod discovery;
mod documents;
mod exports;
mod external_identities;
mod federation;
mod filters;
mod first_steps;
mod instance_domains;
mod long_lists;
mod measures;
mod notifications;
mod plans;
mod push;
mod removals;
mod reports;
mod scans;
mod search;
mod second_factors;
mod sign_up_blocks;
mod snapshots;
mod spent_budgets;
mod stored_jobs;
mod strikes;
mod trends;
mod upkeep;
mod users;
mod viewer_relations;
mod visibility;
mod walks;
mod world;
