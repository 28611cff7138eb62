//! Finds what must not be: references that lead nowhere, counters that do not count, names that
//! are not indexed, timelines that are kept in part, damaged pages. Repairs what can be told from the rest.

mod counters;
mod feeds;
mod references;
mod terms;

use siskin_entities::Timestamp;
use siskin_ids::unix_ms_of;

use crate::{Conn, Result, store::highest_id};

pub use counters::{Counter, WrongCounter, batches, repair, wrong_counters};
pub use feeds::{feed_batches, incomplete_feeds, outdate};
pub use references::{DanglingReference, damaged_pages, dangling_references};
pub use terms::{index, index_batches, misindexed};

/// Returns the time at which the newest row was made, by its id. Later ids are never lower, so a clock
/// that was ahead once leaves ids of the future behind.
pub fn newest(conn: &mut Conn) -> Result<Timestamp> {
    Ok(Timestamp::from_unix_ms(unix_ms_of(highest_id(conn)?)))
}
