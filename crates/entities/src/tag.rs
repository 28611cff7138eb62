//! Hashtags with usage statistics.

use std::{iter::successors, time::Duration};

use siskin_ids::{FeaturedTagId, TagId};

use crate::time::Timestamp;

/// Hashtag as a standalone object. A hashtag inside a status is a
/// [`StatusTag`](crate::status::StatusTag).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// `None` if the hashtag was never used, as far as the viewer may know.
    pub id: Option<TagId>,
    /// Name in the folded form of the hashtag rule.
    pub name: String,
    /// Daily usage, newest day first.
    pub history: Vec<TagDay>,
    /// Whether the viewer follows it; `None` for anonymous viewers.
    pub following: Option<bool>,
    /// Whether the viewer features it; `None` for anonymous viewers.
    pub featuring: Option<bool>,
}

impl Tag {
    /// Number of days in the usage history.
    pub const DAYS: usize = 7;

    /// Builds a hashtag without any use, as a viewer sees it.
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

    /// Returns the midnights that begin the days of a history, newest first.
    pub fn days(now: Timestamp) -> impl Iterator<Item = Timestamp> {
        const DAY: Duration = Duration::from_hours(24);
        successors(Some(now.midnight()), |day| Some(day.before(DAY))).take(Self::DAYS)
    }
}

/// Usage of a hashtag on one day (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TagDay {
    /// Midnight that begins the day.
    pub day: Timestamp,
    /// Number of statuses with the hashtag.
    pub uses: i64,
    /// Number of accounts that wrote them.
    pub accounts: i64,
}

/// Hashtag featured on a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeaturedTag {
    /// Id of the entry on the profile.
    pub id: FeaturedTagId,
    /// Name in the folded form of the hashtag rule.
    pub name: String,
    /// Number of public and unlisted statuses of the profile's owner with the hashtag.
    pub statuses: i64,
    /// Time of the newest of these statuses.
    pub last_status_at: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unused_hashtag_has_seven_empty_days() {
        let now = Timestamp::from_unix_ms(10 * 86_400_000 + 5);
        let tag = Tag::unused("birds", now, true);
        let days: Vec<i64> = tag.history.iter().map(|day| day.day.unix_ms() / 86_400_000).collect();
        assert_eq!(days, [10, 9, 8, 7, 6, 5, 4]);
        assert!(tag.history.iter().all(|day| day.uses == 0 && day.accounts == 0));
        assert_eq!(tag.following, Some(false));
        assert_eq!(Tag::unused("birds", now, false).following, None);
    }
}
