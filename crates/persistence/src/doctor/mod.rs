//! Finds what must not be: references that lead nowhere, counters that do not count, names that
//! are not indexed, timelines that are kept in part, damaged pages. Repairs what can be told from the rest.

mod counters;
mod feeds;
mod references;
mod terms;

pub use counters::{Counter, WrongCounter, batches, repair, wrong_counters};
pub use feeds::{feed_batches, incomplete_feeds, outdate};
pub use references::{DanglingReference, damaged_pages, dangling_references};
pub use terms::{index, index_batches, misindexed};
