//! `/settings`.

mod account;
mod follow_list;
mod sessions;
mod writing;
