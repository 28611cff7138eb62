//! Announcements of the operator to all users, and reactions to them.

use std::time::Duration;

use siskin_ids::{AnnouncementId, StatusId};

use crate::{
    emoji::CustomEmoji,
    status::{Mention, StatusTag},
    time::Timestamp,
};

const DAY: Duration = Duration::from_secs(24 * 3600);
const MILLISECOND: Duration = Duration::from_millis(1);

/// Announcement as the operator wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    /// Id of the announcement.
    pub id: AnnouncementId,
    /// Plain text with mentions, hashtags and links.
    pub text: String,
    /// Time of the announced event; `None` if it announces none.
    pub period: Option<Period>,
    /// Time at which it will be published; `None` if it waits for no time.
    pub scheduled_at: Option<Timestamp>,
    /// Time of its publication; `None` if it is not published.
    pub published_at: Option<Timestamp>,
    /// Time at which it was written.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Time of an event: to the millisecond, or whole days.
///
/// ```
/// use siskin_entities::{Timestamp, announcement::Period};
///
/// let noon = Timestamp::from_unix_ms(1_795_780_800_000);
/// let day = Period::of_days(noon, noon).unwrap();
/// assert_eq!(day.starts_at().to_string(), "2026-11-27T00:00:00.000Z");
/// assert_eq!(day.ends_at().to_string(), "2026-11-27T23:59:59.999Z");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    starts_at: Timestamp,
    ends_at: Timestamp,
    is_days: bool,
}

impl Period {
    /// Returns the period between two times. Returns `None` if it ends before it starts.
    #[must_use]
    pub fn of_times(starts_at: Timestamp, ends_at: Timestamp) -> Option<Self> {
        (starts_at <= ends_at).then_some(Self { starts_at, ends_at, is_days: false })
    }

    /// Returns the period from the day (UTC) of the first time to that of the second, inclusive.
    /// Returns `None` if it ends before it starts.
    #[must_use]
    pub fn of_days(first: Timestamp, last: Timestamp) -> Option<Self> {
        let (starts_at, ends_at) = (first.midnight(), last.midnight().after(DAY));
        let ends_at = ends_at.before(MILLISECOND);
        (starts_at <= ends_at).then_some(Self { starts_at, ends_at, is_days: true })
    }

    /// Returns the beginning.
    #[must_use]
    pub const fn starts_at(self) -> Timestamp {
        self.starts_at
    }

    /// Returns the end.
    #[must_use]
    pub const fn ends_at(self) -> Timestamp {
        self.ends_at
    }

    /// Returns `true` if the period consists of whole days.
    #[must_use]
    pub const fn is_days(self) -> bool {
        self.is_days
    }
}

/// Announcement as a viewer gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownAnnouncement {
    /// The announcement.
    pub announcement: Announcement,
    /// Its text as HTML.
    pub content: String,
    /// Mentioned accounts, in the order of the text.
    pub mentions: Vec<Mention>,
    /// Public statuses of this server to which the text links, in the order of the text.
    pub statuses: Vec<LinkedStatus>,
    /// Hashtags, in the order of the text.
    pub tags: Vec<StatusTag>,
    /// Custom emojis in the text.
    pub emojis: Vec<CustomEmoji>,
    /// Reactions by emoji, the one that was used first at the beginning.
    pub reactions: Vec<AnnouncementReaction>,
    /// Whether the viewer dismissed it; `None` without a viewer.
    pub read: Option<bool>,
}

/// A status of this server to which a text links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedStatus {
    /// Id of the status.
    pub id: StatusId,
    /// User name of its author.
    pub username: String,
}

/// Reactions to an announcement with the same emoji.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnouncementReaction {
    /// A Unicode emoji, or the shortcode of a custom emoji.
    pub name: String,
    /// Number of accounts that reacted with it.
    pub count: i64,
    /// Whether the viewer did; `None` without a viewer.
    pub me: Option<bool>,
    /// The custom emoji; `None` for a Unicode emoji.
    pub emoji: Option<CustomEmoji>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_does_not_end_before_it_starts() {
        let at = Timestamp::from_unix_ms;
        assert!(Period::of_times(at(5), at(5)).is_some());
        assert_eq!(Period::of_times(at(5), at(4)), None);
        assert!(Period::of_days(at(5), at(4)).is_some());
        assert_eq!(Period::of_days(at(86_400_000), at(86_399_999)), None);
    }

    #[test]
    fn whole_days_stay_the_same_if_they_are_stored() {
        let at = Timestamp::from_unix_ms;
        let days = Period::of_days(at(1), at(90_000_000)).unwrap();
        assert_eq!((days.starts_at(), days.ends_at()), (at(0), at(172_799_999)));
        assert_eq!(Period::of_days(days.starts_at(), days.ends_at()), Some(days));
    }
}
