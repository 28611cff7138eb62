//! A poll as the templates of public pages write it: what it asks, and how it stands as far as that
//! is no secret. Voting is for people who are signed in to a client.

use siskin_entities::Timestamp;
use siskin_wire::poll::{self as wire, PollOption};

use super::shown::counted;
use crate::pages::Moment;

/// A poll in words and numbers.
#[derive(Debug)]
pub(super) struct ShownPoll {
    pub(super) options: Vec<ShownOption>,
    /// Who voted, such as `3 people voted`.
    pub(super) turnout: String,
    /// Whether one can choose several options.
    pub(super) multiple: bool,
    /// Whether the votes of each option are a secret until the end.
    pub(super) secret: bool,
    pub(super) over: bool,
    /// None: it never ends.
    pub(super) end: Option<Moment>,
}

/// An option with its share of the voters.
#[derive(Debug)]
pub(super) struct ShownOption {
    pub(super) title: String,
    /// None while it is a secret.
    pub(super) result: Option<PollResult>,
}

/// How an option stands.
#[derive(Debug)]
pub(super) struct PollResult {
    /// Of those who voted, 0 to 100.
    pub(super) percent: i64,
    /// Such as `2 votes`.
    pub(super) votes: String,
}

impl ShownPoll {
    pub(super) fn of(poll: &wire::Poll, now: Timestamp) -> Self {
        let option = |option: &PollOption| ShownOption {
            title: option.title.clone(),
            result: option.votes_count.map(|votes| PollResult::of(votes, poll.voters_count)),
        };
        Self {
            options: poll.options.iter().map(option).collect(),
            turnout: format!("{} voted", counted(poll.voters_count, "person", "people")),
            multiple: poll.multiple,
            secret: poll.options.iter().any(|option| option.votes_count.is_none()),
            over: poll.expired,
            end: poll.expires_at.map(|end| Moment::of(end.0, now)),
        }
    }
}

impl PollResult {
    fn of(votes: i64, voters: i64) -> Self {
        // Rounded to the nearest; of nobody's votes each option has none.
        let percent = (votes * 200 + voters).checked_div(voters * 2).unwrap_or(0);
        Self { percent: percent.clamp(0, 100), votes: counted(votes, "vote", "votes") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_to_whole_percents() {
        let percent = |votes, voters| PollResult::of(votes, voters).percent;
        assert_eq!([percent(0, 0), percent(1, 3), percent(2, 3), percent(3, 3)], [0, 33, 67, 100]);
        assert_eq!(percent(1, 8), 13);
        assert_eq!(PollResult::of(1, 1).votes, "1 vote");
    }
}
