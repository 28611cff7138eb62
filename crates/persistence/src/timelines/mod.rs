//! Timelines: the ids of one page each. Every rule stands inside the page's own statement, so that
//! a page is never short. [`crate::statuses::load`] turns ids into what is shown.

pub mod audience;
mod candidates;
mod home;
mod list;
mod pages;
mod public;
mod shown;
mod tag;

pub use home::home;
pub use list::list;
pub use public::{Narrowing, Origin, public};
pub use tag::{TagTimeline, tag};
