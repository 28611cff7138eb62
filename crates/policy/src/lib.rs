//! Pure decisions: visibility, timelines, trends, notifications, roles, scopes and limits.
//!
//! This crate reads no rows, clock or requests; callers pass in all facts.

#![warn(missing_docs)]

pub mod announcements;
pub mod domains;
pub mod exports;
pub mod external_login;
pub mod federation;
pub mod first_steps;
pub mod limits;
pub mod moderation;
pub mod notifications;
pub mod push;
pub mod quotes;
pub mod reports;
pub mod roles;
pub mod scopes;
pub mod second_factor;
pub mod settings;
pub mod sign_up;
pub mod tags;
pub mod terms;
pub mod timelines;
pub mod trends;
pub mod visibility;

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
