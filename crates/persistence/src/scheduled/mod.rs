//! Statuses that wait for their time: each is its author's alone, until it is published and gone
//! from here. When that is, and what becomes of it, is not known here.

mod asked;
mod load;
mod write;

pub use load::{count, count_between, find, page, take, waiting};
pub use write::{NewScheduled, insert, remove, set_time, set_words};
