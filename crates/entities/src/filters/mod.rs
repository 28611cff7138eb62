//! Filters: keywords and statuses that an account wants to be warned about or not to see.
//!
//! A [`Filter`] contains keywords and statuses. [`FilterSet`] is the compiled form of all filters
//! of one account. It is compiled once and matched against every status that the account is shown.
//! [`FilterSet::mark`] writes the matches into the statuses. It removes no status: clients hide
//! what is marked.
//!
//! [`FilterSet::results`] takes anything that is [`Filterable`]: a status, a plain text, or the
//! [`SearchedTexts`] of an object of another program.
//!
//! The module is pure and can be embedded: no clock (times are parameters), no storage. Keywords
//! are searched in texts, never in markup, and without regard to case.
//!
//! ```
//! use siskin_entities::{
//!     Filter, FilterContext, FilterSet, Timestamp,
//!     filters::{FilterHead, FilterKeyword, SearchedTexts},
//! };
//! use siskin_ids::{FilterId, FilterKeywordId};
//!
//! let keyword = FilterKeyword::whole_word(FilterKeywordId::new(1), "siskin");
//! let filter = Filter::new(FilterHead::new(FilterId::new(1), "Birds"), vec![keyword]);
//! let filters = FilterSet::compile(&[filter])?;
//!
//! let now = Timestamp::from_unix_ms(1_795_766_400_000);
//! let found = filters.results(FilterContext::Home, now, "A Siskin!");
//! assert_eq!(found[0].keyword_matches, ["Siskin"]);
//! assert!(filters.results(FilterContext::Home, now, "Siskins").is_empty());
//!
//! let post = SearchedTexts {
//!     html: "<p>Look:</p>",
//!     descriptions: vec!["A siskin on a branch"],
//!     ..SearchedTexts::default()
//! };
//! assert_eq!(filters.results(FilterContext::Home, now, &post)[0].filter.title, "Birds");
//! # Ok::<(), siskin_entities::filters::TooLarge>(())
//! ```

mod keywords;
mod marked;
mod preview;
mod set;
#[cfg(test)]
mod tests;
mod texts;

use std::sync::Arc;

use siskin_ids::{FilterId, FilterKeywordId, FilterStatusId, StatusId};

use crate::{
    named::{names, numbers, parses},
    time::Timestamp,
};

pub use keywords::{FoldedText, Keywords, Span};
pub use marked::{ContainsStatuses, Marked};
pub use preview::{CharSpan, MatchedText, Preview, PreviewMatch};
pub use set::{FilterResult, FilterSet, TooLarge};
pub use texts::{Filterable, FoldedTexts, Part, SearchedTexts, texts};

/// Place where statuses are displayed. A filter applies only in the contexts that it lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FilterContext {
    /// The home timeline, lists, and the viewer's saved statuses.
    Home,
    /// Notifications, including push notifications.
    Notifications,
    /// Public timelines, hashtag timelines, trends and search results.
    Public,
    /// A status with its thread.
    Thread,
    /// The statuses of a profile.
    Account,
}

// The API lists contexts in this order.
names!(FilterContext {
    Home = "home",
    Notifications = "notifications",
    Public = "public",
    Thread = "thread",
    Account = "account",
});
parses! {
    /// Error for a text that is not the name of a context.
    FilterContext, UnknownContext:
        "A context must be home, notifications, public, thread or account"
}

impl FilterContext {
    const fn bit(self) -> i16 {
        1 << self as i16
    }
}

/// A set of [`FilterContext`]s.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FilterContexts(i16);

impl FilterContexts {
    /// Returns the set of all contexts.
    #[must_use]
    pub fn all() -> Self {
        FilterContext::ALL.into_iter().collect()
    }

    /// Returns the stored number: one bit per context, in the order of [`FilterContext::ALL`].
    #[must_use]
    pub const fn number(self) -> i16 {
        self.0
    }

    /// Returns the contexts of a stored number. Unknown bits are ignored.
    #[must_use]
    pub fn from_number(number: i16) -> Self {
        Self(number & Self::all().0)
    }

    /// Returns `true` if the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns `true` if the set contains this context.
    #[must_use]
    pub const fn contains(self, context: FilterContext) -> bool {
        self.0 & context.bit() != 0
    }

    /// Iterates over the contexts in the order of [`FilterContext::ALL`].
    pub fn iter(self) -> impl Iterator<Item = FilterContext> {
        FilterContext::ALL.into_iter().filter(move |context| self.contains(*context))
    }
}

impl FromIterator<FilterContext> for FilterContexts {
    fn from_iter<I: IntoIterator<Item = FilterContext>>(contexts: I) -> Self {
        Self(contexts.into_iter().fold(0, |bits, context| bits | context.bit()))
    }
}

/// Treatment of marked statuses in clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FilterAction {
    /// Show a warning, and the status on request.
    #[default]
    Warn,
    /// Do not show the status.
    Hide,
    /// Show the text, and the media behind a warning.
    Blur,
}

names!(FilterAction { Warn = "warn", Hide = "hide", Blur = "blur" });
numbers!(FilterAction, unknown: Warn);
parses! {
    /// Error for a text that is not the name of an action.
    FilterAction, UnknownAction: "A filter action must be warn, hide or blur"
}

impl FilterAction {
    /// Returns the place of the action among others that match the same status: the one that hides
    /// most comes first.
    pub(crate) const fn order(self) -> u8 {
        match self {
            Self::Hide => 0,
            Self::Warn => 1,
            Self::Blur => 2,
        }
    }
}

/// Filter without its keywords and statuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterHead {
    /// Id of the filter.
    pub id: FilterId,
    /// Title that clients show in place of a status.
    pub title: String,
    /// Places where it applies.
    pub contexts: FilterContexts,
    /// What clients do with matching statuses.
    pub action: FilterAction,
    /// Time from which the filter no longer applies; `None` means that it never expires.
    pub expires_at: Option<Timestamp>,
}

impl FilterHead {
    /// Builds a filter that warns in all contexts and never expires.
    #[must_use]
    pub fn new(id: FilterId, title: &str) -> Self {
        Self {
            id,
            title: title.to_owned(),
            contexts: FilterContexts::all(),
            action: FilterAction::Warn,
            expires_at: None,
        }
    }

    /// Returns `true` if the filter applies in this context at this time.
    #[must_use]
    pub fn applies(&self, context: FilterContext, now: Timestamp) -> bool {
        self.contexts.contains(context) && self.expires_at.is_none_or(|end| now < end)
    }
}

/// Word or phrase of a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterKeyword {
    /// Id of the keyword.
    pub id: FilterKeywordId,
    /// Text as typed. It is matched literally, including white space.
    pub keyword: String,
    /// Match whole words only. At an edge of the keyword that is a word character, the text must
    /// not continue with another word character.
    pub whole_word: bool,
}

impl FilterKeyword {
    /// Builds a keyword that also matches inside of words.
    #[must_use]
    pub fn anywhere(id: FilterKeywordId, keyword: &str) -> Self {
        Self { id, keyword: keyword.to_owned(), whole_word: false }
    }

    /// Builds a keyword that matches whole words only.
    #[must_use]
    pub fn whole_word(id: FilterKeywordId, keyword: &str) -> Self {
        Self { whole_word: true, ..Self::anywhere(id, keyword) }
    }
}

/// Status of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterStatus {
    /// Id of the entry in the filter.
    pub id: FilterStatusId,
    /// Id of the status.
    pub status: StatusId,
}

/// Filter with its keywords and statuses, each in the order in which they were added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Title, contexts and action, shared with the results.
    pub head: Arc<FilterHead>,
    /// Keywords.
    pub keywords: Vec<FilterKeyword>,
    /// Statuses that match by their id.
    pub statuses: Vec<FilterStatus>,
}

impl Filter {
    /// Builds a filter without statuses.
    #[must_use]
    pub fn new(head: FilterHead, keywords: Vec<FilterKeyword>) -> Self {
        Self { head: Arc::new(head), keywords, statuses: Vec::new() }
    }
}

/// Keyword with its filter: the filter object of API v1, where a filter has one keyword.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegacyFilter {
    /// The filter.
    pub head: Arc<FilterHead>,
    /// Its keyword.
    pub keyword: FilterKeyword,
}
