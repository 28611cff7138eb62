//! The JSON that clients see: serde structs, named as in the interface, and pure `render`
//! functions that make them from the views of `siskin-entities`.
//!
//! Each module holds one family of entities; `render` never looks anything up and never fails.
//! What the view lacks was not loaded, so it is not shown. Nothing here knows a request, a row
//! or who is allowed to see what: views come in ready to be shown to their reader.
//!
//! Ids are strings, times RFC 3339 in UTC with milliseconds, absent fields absent and not null
//! where the interface tells the two apart. [`pieces`] writes the same bytes as the structs of
//! statuses, accounts and notifications from cached parts.

pub mod account;
pub mod application;
pub mod budget;
pub mod card;
pub mod context;
pub mod conversation;
pub mod discovery;
pub mod emoji;
pub mod empty;
pub mod error;
pub mod filter;
pub mod filter_preview;
pub mod health;
pub mod identity_proof;
pub mod instance;
pub mod instance_v1;
pub mod language;
pub mod list;
pub mod marker;
pub mod media;
pub mod never;
pub mod notification;
pub mod oauth;
pub mod oembed;
pub mod pieces;
pub mod poll;
pub mod preferences;
pub mod profile;
pub mod relationship;
pub mod rule;
pub mod scheduled;
pub mod search;
pub mod source;
pub mod status;
pub mod status_edit;
pub mod streaming;
pub mod suggestion;
pub mod tag;
pub mod time;
pub mod translation;
/// The addresses of this server.
pub mod urls {
    pub use siskin_entities::Urls;
}

pub use urls::Urls;
