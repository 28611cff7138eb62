//! JSON entities of the API: serde structs, named as in Mastodon's API, and pure `render` functions
//! that build them from the views of `siskin-entities`.
//!
//! Each module contains one family of entities. `render` never queries anything and never fails.
//! Data that was not loaded into the view is not rendered. This crate knows no requests, rows or
//! permissions: views must be ready for their viewer.
//!
//! Ids are strings, and times are RFC 3339 in UTC with milliseconds. Where the API distinguishes
//! absent fields from null ones, so does the JSON. [`pieces`] writes the same bytes as the structs
//! of statuses, accounts and notifications, from cached parts.

#![warn(missing_docs)]

pub mod account;
pub mod admin_account;
pub mod announcement;
pub mod application;
pub mod archive;
pub mod audit;
pub mod budget;
pub mod card;
pub mod context;
pub mod conversation;
pub mod count;
pub mod discovery;
pub mod emoji;
pub mod empty;
pub mod error;
mod fields;
pub mod filter;
pub mod filter_preview;
pub mod health;
pub mod identity_proof;
pub mod instance;
pub mod instance_domain;
pub mod instance_text;
pub mod instance_v1;
pub mod invite;
pub mod job;
pub mod language;
mod lenient;
pub mod list;
pub mod marker;
pub mod measure;
pub mod media;
pub mod never;
pub mod notification;
pub mod notification_group;
pub mod notification_policy;
pub mod oauth;
pub mod oembed;
pub mod pieces;
pub mod poll;
pub mod preferences;
pub mod profile;
pub mod push;
pub mod quote;
pub mod relationship;
pub mod report;
pub mod role;
pub mod rule;
pub mod scheduled;
pub mod search;
pub mod sign_up_block;
pub mod source;
pub mod status;
pub mod status_edit;
pub mod storage;
pub mod streaming;
pub mod strike;
pub mod suggestion;
pub mod tag;
pub mod time;
pub mod translation;
pub mod trend;
/// URLs of this server.
pub mod urls {
    pub use siskin_entities::Urls;
}

pub use urls::Urls;

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
