//! Background tasks of an instance: jobs, events, settings.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod callers;
mod documents;
mod events;
mod filters;
mod jobs;
mod lanes;
mod polls;
mod scheduled;
mod settings;
mod shared;
mod support;
