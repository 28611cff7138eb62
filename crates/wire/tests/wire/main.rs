//! Tests of the JSON entities against the API: one binary, one module per family.

mod accounts;
mod announcements;
mod contract;
mod discovery;
mod errors;
mod filters;
mod instance;
mod notifications;
mod oauth;
mod pieces;
mod polls;
mod reading;
mod samples;
mod scheduled;
mod small;
mod statuses;
mod translations;
