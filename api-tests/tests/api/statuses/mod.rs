//! `/api/v1/statuses`.

mod bookmark;
mod context;
mod delete;
mod favourite;
mod get;
mod post;
mod reactions;
mod reblog;
mod source;
