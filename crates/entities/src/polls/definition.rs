//! Requested polls and their validation.

use std::{collections::HashSet, fmt, time::Duration};

use siskin_text::{TextLimit, is_blank};

use crate::{instance::PollLimits, time::Timestamp};

use super::Poll;

/// Poll as requested by a client.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PollRequest {
    /// Titles as typed. Surrounding white space is trimmed, and blank options are dropped, because
    /// forms also send lines that were left empty.
    pub options: Vec<String>,
    /// Requested duration in seconds; `None` if the client sent none.
    pub expires_in: Option<i64>,
    /// Whether a voter may choose several options.
    pub multiple: bool,
    /// Whether the votes per option stay hidden until the end.
    pub hide_totals: bool,
}

/// Limits of the size and the duration of a poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of options.
    pub options: usize,
    /// Maximum length of an option title, in characters as users see them.
    pub option_chars: usize,
    /// Minimum duration.
    pub shortest: Duration,
    /// Maximum duration.
    pub longest: Duration,
}

impl From<&PollLimits> for Limits {
    fn from(limits: &PollLimits) -> Self {
        let number = |limit: u64| usize::try_from(limit).unwrap_or(usize::MAX);
        Self {
            options: number(limits.options),
            option_chars: number(limits.option_chars),
            shortest: Duration::from_secs(limits.shortest_seconds),
            longest: Duration::from_secs(limits.longest_seconds),
        }
    }
}

/// Validated poll, which can be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    options: Vec<String>,
    duration: Duration,
    multiple: bool,
    hide_totals: bool,
}

/// Reason why a requested poll is invalid. Its `Display` text is a sentence that starts with the
/// invalid field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PollError {
    /// Fewer than two options are left.
    TooFewOptions,
    /// There are more options than allowed.
    TooManyOptions {
        /// Maximum number of options.
        max: usize,
    },
    /// The title of an option is too long.
    LongOption {
        /// Maximum number of characters.
        max: usize,
    },
    /// Two options have the same title.
    SameOptions,
    /// The duration is missing or shorter than allowed.
    EndsTooSoon,
    /// The duration is longer than allowed.
    EndsTooLate,
}

impl fmt::Display for PollError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewOptions => f.write_str("Poll options must have more than one item"),
            Self::TooManyOptions { max } => {
                write!(f, "Poll options can't contain more than {max} items")
            }
            Self::LongOption { max } => {
                write!(f, "Poll options cannot be longer than {max} characters each")
            }
            Self::SameOptions => f.write_str("Poll options contain duplicate items"),
            Self::EndsTooSoon => f.write_str("Poll expires at is too soon"),
            Self::EndsTooLate => f.write_str("Poll expires at is too far into the future"),
        }
    }
}

impl std::error::Error for PollError {}

impl Definition {
    /// Validates a requested poll. It needs at least two options with different titles, and a
    /// duration within the limits.
    ///
    /// # Errors
    /// Returns the first [`PollError`].
    pub fn check(request: &PollRequest, limits: &Limits) -> Result<Self, PollError> {
        Ok(Self {
            options: options(&request.options, limits)?,
            duration: duration(request.expires_in, limits)?,
            multiple: request.multiple,
            hide_totals: request.hide_totals,
        })
    }

    /// Builds a definition that was [checked](Self::check) earlier, without checking the present
    /// limits.
    #[must_use]
    pub const fn new_unchecked(
        options: Vec<String>,
        duration: Duration,
        multiple: bool,
        hide_totals: bool,
    ) -> Self {
        Self { options, duration, multiple, hide_totals }
    }

    /// Returns the titles of the options in their order: at least two, all different.
    #[must_use]
    pub fn options(&self) -> &[String] {
        &self.options
    }

    /// Returns the duration, in whole seconds.
    #[must_use]
    pub const fn duration(&self) -> Duration {
        self.duration
    }

    /// Returns `true` if a voter may choose several options.
    #[must_use]
    pub const fn multiple(&self) -> bool {
        self.multiple
    }

    /// Returns `true` if the votes per option stay hidden until the end.
    #[must_use]
    pub const fn hides_totals(&self) -> bool {
        self.hide_totals
    }

    /// Returns the end of a poll that opens at `start`.
    #[must_use]
    pub fn end(&self, start: Timestamp) -> Timestamp {
        start.after(self.duration)
    }

    /// Returns `true` if an edit to this definition changes the question of `poll`, so that its
    /// votes are discarded. The end time and `hide_totals` are not part of the question.
    #[must_use]
    pub fn resets(&self, poll: &Poll) -> bool {
        self.multiple != poll.multiple || poll.titles() != self.options
    }
}

fn options(typed: &[String], limits: &Limits) -> Result<Vec<String>, PollError> {
    let titles = typed.iter().map(|title| title.trim()).filter(|title| !is_blank(title));
    let options: Vec<String> = titles.map(str::to_owned).collect();
    if options.len() < 2 {
        return Err(PollError::TooFewOptions);
    }
    if options.len() > limits.options {
        return Err(PollError::TooManyOptions { max: limits.options });
    }
    if options.iter().any(|title| !TextLimit::of(limits.option_chars).fits(title)) {
        return Err(PollError::LongOption { max: limits.option_chars });
    }
    if options.iter().collect::<HashSet<_>>().len() < options.len() {
        return Err(PollError::SameOptions);
    }
    Ok(options)
}

fn duration(seconds: Option<i64>, limits: &Limits) -> Result<Duration, PollError> {
    let seconds = u64::try_from(seconds.unwrap_or(0)).map_err(|_| PollError::EndsTooSoon)?;
    let duration = Duration::from_secs(seconds);
    if duration < limits.shortest {
        return Err(PollError::EndsTooSoon);
    }
    if duration > limits.longest {
        return Err(PollError::EndsTooLate);
    }
    Ok(duration)
}
