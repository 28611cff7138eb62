//! `/api/v1/timelines`.

mod home;
mod paging;
mod public;
mod tag;
