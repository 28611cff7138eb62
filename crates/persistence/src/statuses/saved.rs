//! Bookmarked and favourited statuses.

use diesel::Queryable;
use siskin_ids::StatusId;

/// A bookmark or favourite of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable)]
pub struct SavedStatus {
    /// Id of the row, which orders the list.
    pub row: i64,
    pub status: StatusId,
}
