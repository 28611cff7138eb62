//! Entries of timelines.

use diesel::Queryable;
use siskin_ids::StatusId;

/// A timeline entry: a status, or a reblog with the reblogged status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable)]
pub struct Entry {
    pub id: StatusId,
    pub reblog_of: Option<StatusId>,
}
