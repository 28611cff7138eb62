//! Full-text search for statuses: an index of terms, the same on both engines. The crate `text`
//! splits and folds texts, and the engines only store and intersect the terms. The index finds
//! candidates; `services` checks each of them with `policy` and with the text itself.

mod candidates;
mod document;
mod write;

pub use candidates::{StatusSearch, candidates};
pub use write::{End, index, index_before, is_indexed, orphaned, remove, unindexed};
