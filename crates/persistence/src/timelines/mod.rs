//! Timelines: the ids of one page each. Every rule stands inside the page's own statement, so that
//! a page is never short. [`crate::statuses::load`] turns ids into what is shown.

mod home;
mod pages;
mod public;
mod tag;

pub use pages::home;
pub use public::{Narrowing, Origin, public};
pub use tag::{TagTimeline, tag};
