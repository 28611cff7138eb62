//! Lines of timelines.

use diesel::Queryable;
use siskin_ids::StatusId;

/// A line of a timeline: a status, or a reblog and what it reblogs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable)]
pub struct Entry {
    pub id: StatusId,
    pub reblog_of: Option<StatusId>,
}
