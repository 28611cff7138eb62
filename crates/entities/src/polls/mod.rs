//! Polls as pure values: creation ([`Definition`]), view ([`Poll`]) and voting ([`Ballot`]).
//!
//! The visibility of a poll is that of its status. This module knows neither visibility nor
//! storage.

mod ballot;
mod definition;
#[cfg(test)]
mod tests;

use siskin_ids::PollId;

use crate::{emoji::CustomEmoji, time::Timestamp};

pub use ballot::{Ballot, VoteError};
pub use definition::{Definition, Limits, PollError, PollRequest};

/// Poll with the counted votes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Poll {
    /// Id of the poll.
    pub id: PollId,
    /// Options in display order; all titles differ.
    pub options: Vec<PollOption>,
    /// Whether a voter may choose several options, in one request or in several.
    pub multiple: bool,
    /// Whether the votes per option stay hidden until the end.
    pub hide_totals: bool,
    /// `None` means that it never ends.
    pub expires_at: Option<Timestamp>,
    /// Whether its end was already announced. It is then over, independent of the clock.
    pub closed: bool,
    /// Number of voters. A voter counts once, even with several options.
    pub voters: i64,
    /// Custom emojis used in the titles of the options.
    pub emojis: Vec<CustomEmoji>,
    /// `None` for anonymous viewers.
    pub viewer: Option<PollViewer>,
}

/// Option of a poll.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PollOption {
    /// Title as plain text.
    pub title: String,
    /// Number of votes, which may have to stay hidden.
    pub votes: i64,
}

/// Relation of a signed-in viewer to a poll.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PollViewer {
    /// The viewer wrote the poll and cannot vote in it.
    pub is_author: bool,
    /// Indexes of the options that the viewer voted for, in the order of voting; ascending within
    /// one vote.
    pub chosen: Vec<usize>,
}

impl PollViewer {
    /// Returns `true` if the viewer has nothing to vote on: they voted already, or wrote the poll.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.is_author || !self.chosen.is_empty()
    }
}

impl Poll {
    /// Builds an open poll with one choice per voter that never ends, for an anonymous viewer.
    #[must_use]
    pub const fn new(id: PollId, options: Vec<PollOption>) -> Self {
        Self {
            id,
            options,
            multiple: false,
            hide_totals: false,
            expires_at: None,
            closed: false,
            voters: 0,
            emojis: Vec::new(),
            viewer: None,
        }
    }

    /// Returns the number of votes. It is at least the number of voters.
    #[must_use]
    pub fn votes(&self) -> i64 {
        self.options.iter().map(|option| option.votes).sum()
    }

    /// Returns `true` if voting is closed at `now`.
    #[must_use]
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.closed || self.expires_at.is_some_and(|end| end <= now)
    }

    /// Returns `true` if the votes per option are public at `now`.
    #[must_use]
    pub fn shows_totals(&self, now: Timestamp) -> bool {
        !self.hide_totals || self.is_over(now)
    }

    /// Returns the titles of the options. [`Definition::resets`] compares them when the status is
    /// edited.
    #[must_use]
    pub fn titles(&self) -> Vec<&str> {
        self.options.iter().map(|option| option.title.as_str()).collect()
    }

    /// Returns the poll with this ballot counted. The ballot must have been [cast](Ballot::cast)
    /// for it.
    #[must_use]
    pub fn counting(mut self, ballot: &Ballot) -> Self {
        for position in ballot.chosen() {
            if let Some(option) = self.options.get_mut(*position) {
                option.votes += 1;
            }
        }
        let voted_before = self.viewer.as_ref().is_some_and(|viewer| !viewer.chosen.is_empty());
        self.voters += i64::from(!voted_before);
        if let Some(viewer) = &mut self.viewer {
            viewer.chosen.extend_from_slice(ballot.chosen());
        }
        self
    }
}
