//! Consistency checks. Finds dangling references, wrong counters, wrong search index terms,
//! filtered notifications without a request, incomplete feeds, wrongly limited accounts of other
//! servers and damaged pages. Repairs what can be derived from other rows.

mod counters;
mod feeds;
mod limits;
mod references;
mod requests;
mod search;
mod terms;

use siskin_entities::Timestamp;
use siskin_ids::unix_ms_of;

use crate::{Conn, Result, store::highest_id};

pub use counters::{Counter, WrongCounter, batches, repair, wrong_counters};
pub use feeds::{feed_batches, incomplete_feeds, mark_stale};
pub use limits::{LimitedAccounts, limited_accounts};
pub use references::{DanglingReference, damaged_pages, dangling_references};
pub use requests::{MissingRequest, insert_requests, missing_requests, request_batches};
pub use search::{index_statuses, status_batches, wrongly_indexed};
pub use terms::{index, index_batches, misindexed};

/// Returns the creation time of the newest row, taken from its id. New ids are never lower than
/// existing ones. So a clock that was once ahead leaves ids in the future behind.
pub fn newest(conn: &mut Conn) -> Result<Timestamp> {
    Ok(Timestamp::from_unix_ms(unix_ms_of(highest_id(conn)?)))
}
