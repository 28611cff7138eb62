//! Filters: what somebody does not want to read unprepared, and where.
//!
//! A [`Filter`] holds words and statuses. [`FilterSet`] is all filters of one person, compiled once
//! and asked of every status that the person is shown; [`FilterSet::mark`] writes down what it says.
//! Nothing is left out by it: to hide what is marked is for those who show it.
//!
//! Pure and made to be embedded: no clock (times are passed in), no storage. Words are looked for in
//! texts and never in markup, without regard to case.

mod keywords;
mod marked;
mod preview;
mod set;
#[cfg(test)]
mod tests;
mod texts;

use std::{fmt, str::FromStr, sync::Arc};

use siskin_ids::{FilterId, FilterKeywordId, FilterStatusId, StatusId};

use crate::time::Timestamp;

pub use keywords::{Keywords, Span};
pub use marked::{HoldsStatuses, Marked};
pub use preview::{CharSpan, MatchedText, Preview, PreviewMatch};
pub use set::{FilterResult, FilterSet, TooLarge};
pub use texts::{Part, texts};

/// A place where statuses are read. A filter applies in those that it lists and in no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FilterContext {
    /// The home timeline, lists, and what the reader keeps.
    Home,
    /// Notifications, also those that are pushed.
    Notifications,
    /// Timelines for everybody, hashtags, trends, and what a search finds.
    Public,
    /// One status and what is around it.
    Thread,
    /// The statuses of a profile.
    Account,
}

impl FilterContext {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 5] =
        [Self::Home, Self::Notifications, Self::Public, Self::Thread, Self::Account];

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Home => "home",
            Self::Notifications => "notifications",
            Self::Public => "public",
            Self::Thread => "thread",
            Self::Account => "account",
        }
    }

    const fn bit(self) -> i16 {
        1 << self as i16
    }
}

/// The text names no place where filters apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownContext;

impl fmt::Display for UnknownContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("A context must be home, notifications, public, thread or account")
    }
}

impl std::error::Error for UnknownContext {}

impl FromStr for FilterContext {
    type Err = UnknownContext;

    fn from_str(name: &str) -> Result<Self, UnknownContext> {
        Self::ALL.into_iter().find(|context| context.as_str() == name).ok_or(UnknownContext)
    }
}

/// A set of [`FilterContext`]s.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FilterContexts(i16);

impl FilterContexts {
    /// Every place.
    #[must_use]
    pub fn all() -> Self {
        FilterContext::ALL.into_iter().collect()
    }

    /// The stored number: a bit for each place, in the order of [`FilterContext::ALL`].
    #[must_use]
    pub const fn number(self) -> i16 {
        self.0
    }

    /// The places of a stored number; bits that stand for none are left out.
    #[must_use]
    pub fn from_number(number: i16) -> Self {
        Self(number & Self::all().0)
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this place is one of them.
    #[must_use]
    pub const fn contains(self, context: FilterContext) -> bool {
        self.0 & context.bit() != 0
    }

    /// Each of them once, in the order of [`FilterContext::ALL`].
    pub fn iter(self) -> impl Iterator<Item = FilterContext> {
        FilterContext::ALL.into_iter().filter(move |context| self.contains(*context))
    }
}

impl FromIterator<FilterContext> for FilterContexts {
    fn from_iter<I: IntoIterator<Item = FilterContext>>(contexts: I) -> Self {
        Self(contexts.into_iter().fold(0, |bits, context| bits | context.bit()))
    }
}

/// What readers' clients are to do with what a filter marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FilterAction {
    /// Show a warning, and the status when asked to.
    #[default]
    Warn,
    /// Show nothing.
    Hide,
}

impl FilterAction {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Warn, Self::Hide];

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Warn => "warn",
            Self::Hide => "hide",
        }
    }

    /// The stored number.
    #[must_use]
    pub const fn number(self) -> i16 {
        self as i16
    }

    /// The action with this stored number; an unknown one is a warning.
    #[must_use]
    pub fn from_number(number: i16) -> Self {
        Self::ALL.into_iter().find(|action| action.number() == number).unwrap_or_default()
    }
}

/// The text names nothing that can be done with what a filter marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownAction;

impl fmt::Display for UnknownAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("A filter action must be warn or hide")
    }
}

impl std::error::Error for UnknownAction {}

impl FromStr for FilterAction {
    type Err = UnknownAction;

    fn from_str(name: &str) -> Result<Self, UnknownAction> {
        Self::ALL.into_iter().find(|action| action.as_str() == name).ok_or(UnknownAction)
    }
}

/// A filter but for what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterHead {
    pub id: FilterId,
    pub title: String,
    pub contexts: FilterContexts,
    pub action: FilterAction,
    /// From then on it marks nothing. None: it never ends.
    pub expires_at: Option<Timestamp>,
}

impl FilterHead {
    /// Whether it marks anything in this place at this time.
    #[must_use]
    pub fn applies(&self, context: FilterContext, now: Timestamp) -> bool {
        self.contexts.contains(context) && self.expires_at.is_none_or(|end| now < end)
    }
}

/// A word or phrase of a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterKeyword {
    pub id: FilterKeywordId,
    /// As typed. Nothing in it has a meaning of its own, and white space stands for itself.
    pub keyword: String,
    /// Where it begins or ends with what words are made of, it is not found as a part of a longer
    /// word there.
    pub whole_word: bool,
}

/// A status of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterStatus {
    pub id: FilterStatusId,
    pub status: StatusId,
}

/// A filter with all that it holds, each in the order in which it was added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    pub head: Arc<FilterHead>,
    pub keywords: Vec<FilterKeyword>,
    pub statuses: Vec<FilterStatus>,
}

/// A keyword with its filter: what was a filter before a filter held several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegacyFilter {
    pub head: Arc<FilterHead>,
    pub keyword: FilterKeyword,
}
