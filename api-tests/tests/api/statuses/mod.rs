//! `/api/v1/statuses`.

mod allowed_mentions;
mod bookmark;
mod card;
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
mod quote;
mod quote_access;
mod quote_list;
mod quote_races;
mod reactions;
mod reblog;
mod scheduled;
mod source;
mod text;
pub mod toggles;
mod translate;
