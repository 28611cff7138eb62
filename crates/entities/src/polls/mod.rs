//! Polls as pure values: what makes one ([`Definition`]), what it looks like ([`Poll`]), and how
//! one votes in it ([`Ballot`]).
//!
//! Who may see a poll is a matter of its status, and nothing of that is known here; nor is where
//! polls are kept. Interface: Poll, Limits.

mod ballot;
mod definition;
#[cfg(test)]
mod tests;

use siskin_ids::PollId;

use crate::{emoji::CustomEmoji, time::Timestamp};

pub use ballot::{Ballot, Refusal};
pub use definition::{Asked, Definition, Fault, Limits};

/// A poll with the votes that were counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Poll {
    pub id: PollId,
    /// In the order in which they are shown; no two have the same title.
    pub options: Vec<PollOption>,
    /// Whether one can vote for several options, at once or one after the other.
    pub multiple: bool,
    /// Whether the votes of each option are a secret until the end.
    pub hide_totals: bool,
    /// None: it never ends.
    pub expires_at: Option<Timestamp>,
    /// Whether its end was made known already: then it is over whatever a clock says.
    pub closed: bool,
    /// How many people voted, each counted once however many options they chose.
    pub voters: i64,
    /// Those that the titles of the options name.
    pub emojis: Vec<CustomEmoji>,
    /// None for readers who are not signed in.
    pub viewer: Option<PollViewer>,
}

/// What one can vote for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PollOption {
    pub title: String,
    pub votes: i64,
}

/// What a poll is to the signed-in reader.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PollViewer {
    /// The reader wrote it, and has no vote in it.
    pub is_author: bool,
    /// Positions of the options that the reader voted for, in the order in which they did;
    /// ascending where they were chosen at once.
    pub chosen: Vec<usize>,
}

impl PollViewer {
    /// Whether the reader need not be asked: they voted, or the poll is their own.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.is_author || !self.chosen.is_empty()
    }
}

impl Poll {
    /// How many votes were counted: at least as many as voters.
    #[must_use]
    pub fn votes(&self) -> i64 {
        self.options.iter().map(|option| option.votes).sum()
    }

    /// Whether nobody can vote any more at `now`.
    #[must_use]
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.closed || self.expires_at.is_some_and(|end| end <= now)
    }

    /// Whether anybody may know at `now` how many votes each option has.
    #[must_use]
    pub fn shows_totals(&self, now: Timestamp) -> bool {
        !self.hide_totals || self.is_over(now)
    }

    /// What an edit of its status begins with: the poll as it was asked for, without its votes.
    #[must_use]
    pub fn titles(&self) -> Vec<&str> {
        self.options.iter().map(|option| option.title.as_str()).collect()
    }

    /// The poll after this ballot, which was [cast](Ballot::cast) for it, is counted.
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
