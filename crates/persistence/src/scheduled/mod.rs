//! Scheduled statuses. Only the author sees them, and the row is deleted when the status is
//! published. When and how they are published is the caller's part.

mod load;
mod write;

pub use load::{count, count_between, find, page, take, waiting};
pub use write::{NewScheduled, insert, remove, set_draft, set_time};
