//! Tests of the JSON entities against the API: one binary, one module per family.

mod accounts;
mod admin_accounts;
mod announcements;
mod archive;
mod contract;
mod discovery;
mod errors;
mod filters;
mod instance;
mod instance_domains;
mod measures;
mod notifications;
mod oauth;
mod pieces;
mod polls;
mod reading;
mod reports;
mod roles;
mod samples;
mod scheduled;
mod sign_up_blocks;
mod small;
mod statuses;
mod translations;
