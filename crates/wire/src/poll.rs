//! Polls, with the viewer's votes.

use serde::Serialize;
use siskin_entities::{self as view, Timestamp, polls as parts};
use siskin_ids::PollId;

use crate::{
    emoji::{self, CustomEmoji},
    time::Instant,
    urls::Urls,
};

/// Poll with its current votes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Poll {
    pub id: PollId,
    /// Null if it never ends.
    pub expires_at: Option<Instant>,
    pub expired: bool,
    pub multiple: bool,
    pub votes_count: i64,
    /// Number of voters, each counted once even with several options.
    pub voters_count: i64,
    pub options: Vec<PollOption>,
    pub emojis: Vec<CustomEmoji>,
    /// `None` for anonymous viewers.
    #[serde(flatten)]
    pub viewer: Option<PollViewer>,
}

/// Option of a poll.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PollOption {
    pub title: String,
    /// Null while the votes are hidden.
    pub votes_count: Option<i64>,
}

/// Relation of the signed-in viewer to the poll.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PollViewer {
    /// Also `true` for the viewer's own polls, in which they cannot vote.
    pub voted: bool,
    /// Indexes of options, starting at 0.
    pub own_votes: Vec<usize>,
}

/// Renders a poll for its viewer at `now`.
#[must_use]
pub fn render(poll: &view::Poll, urls: &Urls, now: Timestamp) -> Poll {
    let shows_totals = poll.shows_totals(now);
    let option = |option: &parts::PollOption| PollOption {
        title: option.title.clone(),
        votes_count: shows_totals.then_some(option.votes),
    };
    Poll {
        id: poll.id,
        expires_at: poll.expires_at.map(Instant),
        expired: poll.is_over(now),
        multiple: poll.multiple,
        votes_count: poll.votes(),
        voters_count: poll.voters,
        options: poll.options.iter().map(option).collect(),
        emojis: emoji::render_all(&poll.emojis, urls),
        viewer: poll
            .viewer
            .as_ref()
            .map(|viewer| PollViewer { voted: viewer.is_done(), own_votes: viewer.chosen.clone() }),
    }
}
