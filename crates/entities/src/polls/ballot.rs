//! Vote that is not counted yet.

use std::fmt;

use crate::time::Timestamp;

use super::Poll;

/// Vote of one account: at least one option, and exactly one unless the poll is `multiple`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ballot {
    /// Indexes of the options, ascending, without duplicates.
    chosen: Vec<usize>,
}

/// Reason why a vote is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VoteError {
    /// The poll has ended.
    Over,
    /// The voter wrote the poll.
    OwnPoll,
    /// No option is chosen.
    NothingChosen,
    /// A choice is not the index of an option.
    NoSuchOption,
    /// The account voted before, or voted for one of these options before.
    VotedAlready,
    /// Several options are chosen in a poll with one choice.
    OneOptionOnly,
}

impl fmt::Display for VoteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Over => "The poll has already ended",
            Self::OwnPoll => "You cannot vote in your own polls",
            Self::NothingChosen => "Choose at least one option to vote for",
            Self::NoSuchOption => "The chosen vote option does not exist",
            // A second option is one vote too many. Clients know this message for both cases.
            Self::VotedAlready | Self::OneOptionOnly => "You have already voted on this poll",
        })
    }
}

impl std::error::Error for VoteError {}

impl Ballot {
    /// Validates the vote of the viewer of `poll` at `now`. `choices` are option indexes as clients
    /// write them, starting at `0`. Duplicates count once.
    ///
    /// # Errors
    /// Returns the first [`VoteError`]. An account votes once per poll, or once per option if the
    /// poll is `multiple`. A vote that repeats an earlier choice is rejected as a whole, even with
    /// new choices.
    ///
    /// ```
    /// use siskin_entities::{
    ///     Poll, Timestamp,
    ///     polls::{Ballot, PollOption, VoteError},
    /// };
    /// use siskin_ids::PollId;
    ///
    /// let option = |title: &str| PollOption { title: title.to_owned(), votes: 0 };
    /// let poll = Poll::new(PollId::new(1), vec![option("yes"), option("no")]);
    /// let now = Timestamp::from_unix_ms(0);
    /// assert_eq!(Ballot::cast(&poll, &["1".to_owned()], now)?.chosen(), [1]);
    /// let both = ["0".to_owned(), "1".to_owned()];
    /// assert_eq!(Ballot::cast(&poll, &both, now), Err(VoteError::OneOptionOnly));
    /// # Ok::<(), VoteError>(())
    /// ```
    pub fn cast(poll: &Poll, choices: &[String], now: Timestamp) -> Result<Self, VoteError> {
        if poll.viewer.as_ref().is_some_and(|viewer| viewer.is_author) {
            return Err(VoteError::OwnPoll);
        }
        if poll.is_over(now) {
            return Err(VoteError::Over);
        }
        let chosen = positions(choices, poll.options.len())?;
        let before = poll.viewer.as_ref().map_or(&[][..], |viewer| &viewer.chosen);
        let again = chosen.iter().any(|position| before.contains(position));
        if again || (!poll.multiple && !before.is_empty()) {
            return Err(VoteError::VotedAlready);
        }
        if chosen.len() > 1 && !poll.multiple {
            return Err(VoteError::OneOptionOnly);
        }
        Ok(Self { chosen })
    }

    /// Returns the indexes of the options, ascending, without duplicates.
    #[must_use]
    pub fn chosen(&self) -> &[usize] {
        &self.chosen
    }

    /// Returns the titles of the chosen options of `poll`.
    pub fn titles<'p>(&self, poll: &'p Poll) -> impl Iterator<Item = &'p str> {
        let options = self.chosen.iter().filter_map(|position| poll.options.get(*position));
        options.map(|option| option.title.as_str())
    }
}

fn positions(choices: &[String], options: usize) -> Result<Vec<usize>, VoteError> {
    let choices: Vec<&str> =
        choices.iter().map(|choice| choice.trim()).filter(|choice| !choice.is_empty()).collect();
    if choices.is_empty() {
        return Err(VoteError::NothingChosen);
    }
    let position = |choice: &&str| {
        let is_number = choice.bytes().all(|byte| byte.is_ascii_digit());
        let position = choice.parse::<usize>().ok().filter(|_| is_number);
        position.filter(|position| *position < options).ok_or(VoteError::NoSuchOption)
    };
    let mut chosen = choices.iter().map(position).collect::<Result<Vec<_>, _>>()?;
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}
