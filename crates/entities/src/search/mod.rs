//! Full-text search for statuses: the query that users type, and whether a status matches it.
//!
//! The query is a pure value, because two layers read it: `persistence` builds the query of the
//! index from it, and `services` checks each status that the index found. Whether a viewer may find
//! a status is a rule of `siskin-policy`.

mod matching;
mod parse;
#[cfg(test)]
mod tests;

use siskin_text::SearchWord;

use crate::{named::names, time::Timestamp};

pub use matching::has_link;

/// A query for statuses. A status matches if it meets all conditions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StatusQuery {
    /// Words and phrases to find in one of the texts of a status.
    pub phrases: Vec<Condition<Vec<SearchWord>>>,
    /// Authors, as typed: `me` or a handle, which may name no account.
    pub authors: Vec<Condition<String>>,
    /// Properties of the status.
    pub properties: Vec<Condition<Property>>,
    /// Codes of languages.
    pub languages: Vec<Condition<String>>,
    /// Times of publication.
    pub periods: Vec<Condition<Period>>,
    /// Statuses among which the query searches.
    pub scope: SearchScope,
}

/// A condition of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Condition<T> {
    /// What it asks for.
    pub of: T,
    /// `true` if matching statuses must not have it.
    pub is_negated: bool,
}

/// Statuses among which a query searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SearchScope {
    /// The library and the public statuses.
    #[default]
    All,
    /// Statuses that the viewer wrote, interacted with, or is mentioned in.
    Library,
    /// Public statuses of authors that allow everyone to find them.
    Public,
}

names!(SearchScope { All = "all", Library = "library", Public = "public" });

/// A property of a status that a query asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Property {
    /// It has attachments.
    Media,
    /// It has an image.
    Image,
    /// It has a video, with or without sound.
    Video,
    /// It has a recording without pictures.
    Audio,
    /// It has a poll.
    Poll,
    /// Its text has a link.
    Link,
    /// It has a preview that can be played in place.
    Embed,
    /// It is a reply.
    Reply,
    /// It is marked as sensitive.
    Sensitive,
}

names!(Property {
    Media = "media",
    Image = "image",
    Video = "video",
    Audio = "audio",
    Poll = "poll",
    Link = "link",
    Embed = "embed",
    Reply = "reply",
    Sensitive = "sensitive",
});

impl Property {
    /// Returns `true` if the operator `is:` names it, otherwise `has:` does.
    const fn is_state(self) -> bool {
        matches!(self, Self::Reply | Self::Sensitive)
    }
}

/// A range of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// First time in the range.
    pub from: Timestamp,
    /// First time after the range.
    pub until: Timestamp,
}

impl Period {
    /// Range that contains every time of a status.
    pub const ALWAYS: Self =
        Self { from: Timestamp::from_unix_ms(i64::MIN), until: Timestamp::from_unix_ms(i64::MAX) };

    /// Returns `true` if the range contains `time`.
    #[must_use]
    pub fn contains(self, time: Timestamp) -> bool {
        self.from <= time && time < self.until
    }
}

impl StatusQuery {
    /// Returns `true` if the query states no condition. Such a query finds nothing.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.phrases.is_empty()
            && self.authors.is_empty()
            && self.properties.is_empty()
            && self.languages.is_empty()
            && self.periods.is_empty()
            && matches!(self.scope, SearchScope::All)
    }

    /// Returns the smallest range of time that contains all matching statuses. A range before
    /// which, or after which, nothing matches narrows it; other excluded ranges do not.
    #[must_use]
    pub fn period(&self) -> Period {
        let mut all = Period::ALWAYS;
        for Condition { of: period, is_negated } in &self.periods {
            if !is_negated {
                all.from = all.from.max(period.from);
                all.until = all.until.min(period.until);
            } else if period.from == Period::ALWAYS.from {
                all.from = all.from.max(period.until);
            } else if period.until == Period::ALWAYS.until {
                all.until = all.until.min(period.from);
            }
        }
        all
    }
}
