//! Candidates of timelines: statuses that a timeline may show, found by index. The queries state
//! only conditions that cost nothing. `siskin_policy::timelines` decides what a timeline shows.

pub mod audience;
mod candidates;
mod link;
mod public;
mod tag;

pub use candidates::{feed_candidates, search};
pub use link::link;
pub use public::{Origin, TimelineFilter, public};
pub use tag::{TagTimeline, tag};

use diesel::Queryable;
use siskin_ids::{AccountId, StatusId};

use crate::statuses::Entry;

/// A status that a timeline may show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable)]
pub struct Candidate {
    pub id: StatusId,
    pub reblog_of: Option<StatusId>,
    pub author: AccountId,
}

impl Candidate {
    /// Returns the entry to load.
    #[must_use]
    pub const fn entry(&self) -> Entry {
        Entry { id: self.id, reblog_of: self.reblog_of }
    }
}
