//! Polls, with what their reader voted for.

use serde::Serialize;
use siskin_entities::{self as view, Timestamp, polls as parts};
use siskin_ids::PollId;

use crate::{
    emoji::{self, CustomEmoji},
    time::Instant,
    urls::Urls,
};

/// A poll as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Poll {
    pub id: PollId,
    /// Null where it never ends.
    pub expires_at: Option<Instant>,
    pub expired: bool,
    pub multiple: bool,
    pub votes_count: i64,
    /// People, each once however many options they chose.
    pub voters_count: i64,
    pub options: Vec<PollOption>,
    pub emojis: Vec<CustomEmoji>,
    /// None for anonymous readers.
    #[serde(flatten)]
    pub viewer: Option<PollViewer>,
}

/// What one can vote for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PollOption {
    pub title: String,
    /// Null while it is a secret.
    pub votes_count: Option<i64>,
}

/// What the poll is to the signed-in reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PollViewer {
    /// Of one's own polls too, in which one cannot vote.
    pub voted: bool,
    /// Positions of options, the first being 0.
    pub own_votes: Vec<usize>,
}

/// A poll as its reader sees it at `now`.
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
