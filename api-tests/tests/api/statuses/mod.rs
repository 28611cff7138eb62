//! `/api/v1/statuses`.

mod bookmark;
mod context;
mod delete;
mod favourite;
mod get;
mod index;
mod mute;
mod pin;
mod post;
mod reactions;
mod reblog;
mod source;
