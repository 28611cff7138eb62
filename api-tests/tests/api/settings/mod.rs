//! `/settings`.

pub mod account;
mod archives;
pub mod deletion;
mod export;
mod filters;
mod follow_list;
mod invites;
mod notifications;
mod profile;
mod sessions;
mod writing;
