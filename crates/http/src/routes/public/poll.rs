//! A poll for the templates of public pages: its options, and its results as far as they are
//! public. Voting needs a client in which the person is signed in.

use siskin_entities::Timestamp;
use siskin_wire::poll::{self as wire, PollOption};

use super::view::counted;
use crate::pages::Moment;

/// A poll in the form that templates need.
#[derive(Debug)]
pub(in crate::routes) struct PollItem {
    pub(in crate::routes) options: Vec<OptionItem>,
    /// Number of voters, such as `3 people voted`.
    pub(in crate::routes) turnout: String,
    /// `true` if voters can choose several options.
    pub(in crate::routes) multiple: bool,
    /// `true` if the votes of each option are hidden until the end.
    pub(in crate::routes) secret: bool,
    pub(in crate::routes) over: bool,
    /// `None` if it never ends.
    pub(in crate::routes) end: Option<Moment>,
}

/// An option and its share of the voters.
#[derive(Debug)]
pub(in crate::routes) struct OptionItem {
    pub(in crate::routes) title: String,
    /// `None` while results are hidden.
    pub(in crate::routes) result: Option<PollResult>,
}

/// The result of an option.
#[derive(Debug)]
pub(in crate::routes) struct PollResult {
    /// Share of the voters, 0 to 100.
    pub(in crate::routes) percent: i64,
    /// Number of votes, such as `2 votes`.
    pub(in crate::routes) votes: String,
}

impl PollItem {
    pub(in crate::routes) fn of(poll: &wire::Poll, now: Timestamp) -> Self {
        let voters = poll.voters_count.unwrap_or(poll.votes_count);
        let option = |option: &PollOption| OptionItem {
            title: option.title.clone(),
            result: option.votes_count.map(|votes| PollResult::of(votes, voters)),
        };
        Self {
            options: poll.options.iter().map(option).collect(),
            turnout: format!("{} voted", counted(voters, "person", "people")),
            multiple: poll.multiple,
            secret: poll.options.iter().any(|option| option.votes_count.is_none()),
            over: poll.expired,
            end: poll.expires_at.map(|end| Moment::of(end.0, now)),
        }
    }
}

impl PollResult {
    fn of(votes: i64, voters: i64) -> Self {
        // Rounded to the nearest. Without voters each option has 0 %.
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
