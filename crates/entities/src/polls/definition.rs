//! What somebody asks for when they make a poll, and when that is a poll.

use std::{collections::HashSet, fmt, time::Duration};

use siskin_text::{TextLimit, is_blank};

use crate::{instance::PollLimits, time::Timestamp};

use super::Poll;

/// A poll as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Asked {
    /// As typed; blanks around them do not count, nor do those that are blank altogether: forms
    /// send lines that nobody filled in.
    pub options: Vec<String>,
    /// For how many seconds it is open; None where nothing was said.
    pub expires_in: Option<i64>,
    pub multiple: bool,
    pub hide_totals: bool,
}

/// How large a poll can be and how long it can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub options: usize,
    /// Characters of the title of an option, as people see them.
    pub option_chars: usize,
    pub shortest: Duration,
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

/// A poll that can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    options: Vec<String>,
    duration: Duration,
    multiple: bool,
    hide_totals: bool,
}

/// Why what was asked for is no poll. Shown, it is a sentence that begins with what is at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    TooFewOptions,
    TooManyOptions {
        most: usize,
    },
    LongOption {
        /// Characters.
        most: usize,
    },
    SameOptions,
    EndsTooSoon,
    EndsTooLate,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewOptions => f.write_str("Poll options must have more than one item"),
            Self::TooManyOptions { most } => {
                write!(f, "Poll options can't contain more than {most} items")
            }
            Self::LongOption { most } => {
                write!(f, "Poll options cannot be longer than {most} characters each")
            }
            Self::SameOptions => f.write_str("Poll options contain duplicate items"),
            Self::EndsTooSoon => f.write_str("Poll expires at is too soon"),
            Self::EndsTooLate => f.write_str("Poll expires at is too far into the future"),
        }
    }
}

impl std::error::Error for Fault {}

impl Definition {
    /// Checks what is asked for. At least two options, each with a title of its own; the time that
    /// it is open within the limits.
    ///
    /// # Errors
    /// The first [`Fault`].
    pub fn check(asked: &Asked, limits: &Limits) -> Result<Self, Fault> {
        Ok(Self {
            options: options(&asked.options, limits)?,
            duration: duration(asked.expires_in, limits)?,
            multiple: asked.multiple,
            hide_totals: asked.hide_totals,
        })
    }

    /// One that was [checked](Self::check) before, whatever the limits are now.
    #[must_use]
    pub const fn checked_before(
        options: Vec<String>,
        duration: Duration,
        multiple: bool,
        hide_totals: bool,
    ) -> Self {
        Self { options, duration, multiple, hide_totals }
    }

    /// The titles of the options, in their order: at least two, no two the same.
    #[must_use]
    pub fn options(&self) -> &[String] {
        &self.options
    }

    /// For how long it is open, in whole seconds.
    #[must_use]
    pub const fn duration(&self) -> Duration {
        self.duration
    }

    /// Whether one can vote for several options.
    #[must_use]
    pub const fn multiple(&self) -> bool {
        self.multiple
    }

    /// Whether the votes of each option are a secret until the end.
    #[must_use]
    pub const fn hides_totals(&self) -> bool {
        self.hide_totals
    }

    /// When a poll that opens at `start` ends.
    #[must_use]
    pub fn end(&self, start: Timestamp) -> Timestamp {
        start.after(self.duration)
    }

    /// Whether `poll` becomes another question by being defined like this, so that the votes in it
    /// are worth nothing any more. When it ends, and what it hides until then, is no part of the
    /// question.
    #[must_use]
    pub fn resets(&self, poll: &Poll) -> bool {
        self.multiple != poll.multiple || poll.titles() != self.options
    }
}

fn options(typed: &[String], limits: &Limits) -> Result<Vec<String>, Fault> {
    let titles = typed.iter().map(|title| title.trim()).filter(|title| !is_blank(title));
    let options: Vec<String> = titles.map(str::to_owned).collect();
    if options.len() < 2 {
        return Err(Fault::TooFewOptions);
    }
    if options.len() > limits.options {
        return Err(Fault::TooManyOptions { most: limits.options });
    }
    if options.iter().any(|title| !TextLimit::of(limits.option_chars).fits(title)) {
        return Err(Fault::LongOption { most: limits.option_chars });
    }
    if options.iter().collect::<HashSet<_>>().len() < options.len() {
        return Err(Fault::SameOptions);
    }
    Ok(options)
}

fn duration(seconds: Option<i64>, limits: &Limits) -> Result<Duration, Fault> {
    let seconds = u64::try_from(seconds.unwrap_or(0)).map_err(|_| Fault::EndsTooSoon)?;
    let duration = Duration::from_secs(seconds);
    if duration < limits.shortest {
        return Err(Fault::EndsTooSoon);
    }
    if duration > limits.longest {
        return Err(Fault::EndsTooLate);
    }
    Ok(duration)
}
