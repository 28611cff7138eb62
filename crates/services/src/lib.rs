//! Use cases: one function each, called by the HTTP adapter and the command line alike.
//!
//! A use case that writes consists of `prepare` and `apply`. `prepare` uses CPU and holds no
//! resources. `apply` is a synchronous function inside a write transaction, and may run again. This
//! crate contains no JSON, no HTTP and no threads.

pub mod about;
pub mod accounts;
pub mod activity;
pub mod addresses;
pub mod announcements;
pub mod applications;
pub mod attachments;
pub mod audit;
pub mod authentication;
pub mod cards;
pub mod conversations;
pub mod discovery;
pub mod emails;
pub mod emojis;
mod error;
pub mod exports;
pub mod external_login;
pub mod featured_tags;
pub mod federation;
pub mod feeds;
pub mod filters;
pub mod first_steps;
pub mod follow_list;
pub mod forgery;
pub mod housekeeping;
mod id_list;
mod instance;
pub mod instance_domains;
pub mod instance_picture;
pub mod instance_texts;
pub mod invites;
pub mod jobs;
pub mod lists;
pub mod markers;
pub mod measures;
pub mod media;
pub mod moderation;
mod named;
pub mod notifications;
pub mod oauth;
mod offset_page;
mod pages;
pub mod passwords;
pub mod peers;
pub mod polls;
pub mod preferences;
pub mod proxies;
pub mod public;
pub mod push;
pub mod relationships;
pub mod reports;
pub mod roles;
pub mod rules;
mod sealing;
pub mod search;
pub mod second_factor;
pub mod secrets;
pub mod sessions;
pub mod settings;
pub mod setup;
pub mod sign_in;
pub mod sign_up_blocks;
pub mod spent_budgets;
pub mod statuses;
pub mod stored_jobs;
pub mod suggestions;
pub mod tags;
pub mod terms;
pub mod timelines;
pub mod tokens;
pub mod translation;
pub mod trends;
pub mod vapid;
mod viewing;
pub mod warning_presets;

pub use error::{Error, Field, FieldError};
pub use instance::{BaseUrl, Instance, ResolvedInstance};
pub use offset_page::OffsetPage;

/// Number of rows that are read at once when an operator lists all of them.
const LISTED_AT_ONCE: i64 = 1000;

/// Result type of every use case.
pub type Result<T, E = Error> = std::result::Result<T, E>;
