//! A vote before it is counted.

use std::fmt;

use crate::time::Timestamp;

use super::Poll;

/// What somebody voted for: at least one option of a poll, and one alone unless the poll takes
/// several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ballot {
    /// Positions, ascending, each once.
    chosen: Vec<usize>,
}

/// Why somebody cannot vote like this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    Over,
    OwnPoll,
    NothingChosen,
    NoSuchOption,
    VotedAlready,
    OneOptionOnly,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Over => "The poll has already ended",
            Self::OwnPoll => "You cannot vote in your own polls",
            Self::NothingChosen => "Choose at least one option to vote for",
            Self::NoSuchOption => "The chosen vote option does not exist",
            // Of two options the second is one vote too many: clients know these words for both.
            Self::VotedAlready | Self::OneOptionOnly => "You have already voted on this poll",
        })
    }
}

impl std::error::Error for Refusal {}

impl Ballot {
    /// The vote of the reader to whom `poll` is shown, at `now`. `choices` are positions of options
    /// as clients write them, the first being `0`; one that is named twice is chosen once.
    ///
    /// # Errors
    /// The first [`Refusal`]. One votes once in a poll, or once for each option where it takes
    /// several; a vote that says something anew and something again is refused as a whole.
    pub fn cast(poll: &Poll, choices: &[String], now: Timestamp) -> Result<Self, Refusal> {
        if poll.viewer.as_ref().is_some_and(|viewer| viewer.is_author) {
            return Err(Refusal::OwnPoll);
        }
        if poll.is_over(now) {
            return Err(Refusal::Over);
        }
        let chosen = positions(choices, poll.options.len())?;
        let before = poll.viewer.as_ref().map_or(&[][..], |viewer| &viewer.chosen);
        let again = chosen.iter().any(|position| before.contains(position));
        if again || (!poll.multiple && !before.is_empty()) {
            return Err(Refusal::VotedAlready);
        }
        if chosen.len() > 1 && !poll.multiple {
            return Err(Refusal::OneOptionOnly);
        }
        Ok(Self { chosen })
    }

    /// The positions of the options, ascending, each once.
    #[must_use]
    pub fn chosen(&self) -> &[usize] {
        &self.chosen
    }

    /// The titles of the options of `poll` that are voted for.
    pub fn titles<'p>(&self, poll: &'p Poll) -> impl Iterator<Item = &'p str> {
        let options = self.chosen.iter().filter_map(|position| poll.options.get(*position));
        options.map(|option| option.title.as_str())
    }
}

fn positions(choices: &[String], options: usize) -> Result<Vec<usize>, Refusal> {
    let choices: Vec<&str> =
        choices.iter().map(|choice| choice.trim()).filter(|choice| !choice.is_empty()).collect();
    if choices.is_empty() {
        return Err(Refusal::NothingChosen);
    }
    let position = |choice: &&str| {
        let is_number = choice.bytes().all(|byte| byte.is_ascii_digit());
        let position = choice.parse::<usize>().ok().filter(|_| is_number);
        position.filter(|position| *position < options).ok_or(Refusal::NoSuchOption)
    };
    let mut chosen = choices.iter().map(position).collect::<Result<Vec<_>, _>>()?;
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}
