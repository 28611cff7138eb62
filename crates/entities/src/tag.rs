//! Hashtags with their use.

use std::{iter::successors, time::Duration};

use siskin_ids::{FeaturedTagId, TagId};

use crate::time::Timestamp;

/// A hashtag as it is shown by itself; one that stands in a status is a
/// [`StatusTag`](crate::status::StatusTag).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// None where it was never used, as far as the reader may know.
    pub id: Option<TagId>,
    /// Folded by the hashtag rule.
    pub name: String,
    /// The newest day first.
    pub history: Vec<TagDay>,
    /// Whether the reader follows it; None for anonymous readers.
    pub following: Option<bool>,
    /// Whether the reader features it; None for anonymous readers.
    pub featuring: Option<bool>,
}

impl Tag {
    /// Over so many days it is said how a hashtag was used.
    pub const DAYS: usize = 7;

    /// One that nobody ever used, as a reader sees it.
    #[must_use]
    pub fn unused(name: &str, now: Timestamp, is_signed_in: bool) -> Self {
        let history = Self::days(now).map(|day| TagDay { day, uses: 0, accounts: 0 }).collect();
        Self {
            id: None,
            name: name.to_owned(),
            history,
            following: is_signed_in.then_some(false),
            featuring: is_signed_in.then_some(false),
        }
    }

    /// The midnights that began the days of a history, the newest first.
    pub fn days(now: Timestamp) -> impl Iterator<Item = Timestamp> {
        const DAY: Duration = Duration::from_hours(24);
        successors(Some(now.midnight()), |day| Some(day.before(DAY))).take(Self::DAYS)
    }
}

/// How a hashtag was used on one day (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TagDay {
    /// The midnight that began the day.
    pub day: Timestamp,
    /// Statuses that use the hashtag.
    pub uses: i64,
    /// Accounts that wrote them.
    pub accounts: i64,
}

/// A hashtag on a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeaturedTag {
    pub id: FeaturedTagId,
    /// Folded by the hashtag rule.
    pub name: String,
    /// Public and unlisted statuses of the profile's owner with it.
    pub statuses: i64,
    /// When the latest of these was written.
    pub last_status_at: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hashtag_that_nobody_used_has_seven_empty_days() {
        let now = Timestamp::from_unix_ms(10 * 86_400_000 + 5);
        let tag = Tag::unused("birds", now, true);
        let days: Vec<i64> = tag.history.iter().map(|day| day.day.unix_ms() / 86_400_000).collect();
        assert_eq!(days, [10, 9, 8, 7, 6, 5, 4]);
        assert!(tag.history.iter().all(|day| day.uses == 0 && day.accounts == 0));
        assert_eq!(tag.following, Some(false));
        assert_eq!(Tag::unused("birds", now, false).following, None);
    }
}
