//! `/settings`.

pub mod account;
mod follow_list;
mod notifications;
mod profile;
mod sessions;
mod writing;
