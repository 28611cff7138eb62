//! `/settings`.

mod account;
mod follow_list;
mod profile;
mod sessions;
mod writing;
