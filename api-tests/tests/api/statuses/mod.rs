//! `/api/v1/statuses`.

mod bookmark;
mod context;
mod delete;
mod edit;
mod favourite;
mod get;
mod history;
mod index;
mod mute;
mod pin;
mod polls;
mod post;
mod reactions;
mod reblog;
mod source;
mod text;
