//! `/api/v1/timelines`.

mod access;
mod feeds;
mod home;
mod home_by_tag;
mod large;
mod link;
mod list;
mod paging;
mod public;
mod tag;
