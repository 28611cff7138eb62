//! Polls, with the viewer's votes.

use serde::{Deserialize, Serialize};
use siskin_entities::{self as view, Timestamp, polls as parts};
use siskin_ids::PollId;

use crate::{
    emoji::{self, CustomEmoji},
    time::Instant,
    urls::Urls,
};

/// Poll with its current votes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Poll {
    /// Id of the poll.
    pub id: PollId,
    /// Null if it never ends.
    pub expires_at: Option<Instant>,
    /// Whether it has ended.
    pub expired: bool,
    /// Whether a voter may choose several options.
    pub multiple: bool,
    /// Number of votes. A voter with several options counts several times.
    pub votes_count: i64,
    /// Number of voters, each counted once. Siskin always sends it; Mastodon sends null for polls
    /// with one choice.
    pub voters_count: Option<i64>,
    /// Options in display order.
    pub options: Vec<PollOption>,
    /// Custom emojis in the titles.
    #[serde(default)]
    pub emojis: Vec<CustomEmoji>,
    /// `None` for anonymous viewers.
    #[serde(flatten)]
    pub viewer: Option<PollViewer>,
}

/// Option of a poll.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct PollOption {
    /// Title as plain text.
    pub title: String,
    /// Null while the votes are hidden.
    pub votes_count: Option<i64>,
}

/// Relation of the signed-in viewer to the poll.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct PollViewer {
    /// Also `true` for the viewer's own polls, in which they cannot vote.
    pub voted: bool,
    /// Indexes of options, starting at 0.
    #[serde(default)]
    pub own_votes: Vec<usize>,
}

impl Poll {
    /// Returns the titles of the options, in their order.
    pub fn titles(&self) -> impl Iterator<Item = &str> {
        self.options.iter().map(|option| option.title.as_str())
    }
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
        voters_count: Some(poll.voters),
        options: poll.options.iter().map(option).collect(),
        emojis: emoji::render_all(&poll.emojis, urls),
        viewer: poll
            .viewer
            .as_ref()
            .map(|viewer| PollViewer { voted: viewer.is_done(), own_votes: viewer.chosen.clone() }),
    }
}
