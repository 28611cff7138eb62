//! Finds what must not be: references that lead nowhere, counters that do not count, names that
//! are not indexed, damaged pages. Repairs what can be told from the rest.

mod counters;
mod references;
mod terms;

pub use counters::{Counter, WrongCounter, batches, repair, wrong_counters};
pub use references::{DanglingReference, damaged_pages, dangling_references};
pub use terms::{index, index_batches, misindexed};
