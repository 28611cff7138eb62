//! Groups of similar notifications: one entry for all accounts that did the same within a window of
//! time.

use std::{error::Error, fmt, ops::Range, str::FromStr, sync::Arc};

use siskin_ids::{AccountId, NotificationId, StatusId, first_id_at, unix_ms_of};

use super::{NotificationKind, NotificationRecord};
use crate::{account::Account, paging::Page, status::Status, time::Timestamp};

/// Length of the windows of time, in milliseconds: 12 hours, as on Mastodon. Windows have fixed
/// bounds, so that the key of a group follows from the notification alone.
const WINDOW_MS: i64 = 12 * 3600 * 1000;

/// Key that identifies a group of notifications of an account.
///
/// ```
/// use siskin_entities::{GroupKey, NotificationKind};
/// use siskin_ids::{NotificationId, StatusId, first_id_at};
///
/// let id = NotificationId::new(first_id_at(100 * 12 * 3600 * 1000));
/// let key = GroupKey::of(id, NotificationKind::Favourite, Some(StatusId::new(7)));
/// assert_eq!(key.to_string(), "favourite-7-100");
/// assert_eq!("favourite-7-100".parse(), Ok(key));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GroupKey {
    /// A notification that is a group on its own.
    Ungrouped(NotificationId),
    /// Notifications of one kind, about one status or none, in one window of time.
    Window {
        /// Kind of all notifications of the group.
        kind: NotificationKind,
        /// Status that they are about; `None` if they are about the recipient.
        status: Option<StatusId>,
        /// Number of the window since 1970.
        window: i64,
    },
}

impl GroupKey {
    /// Returns the key of the group that contains the notification `id`.
    #[must_use]
    pub fn of(id: NotificationId, kind: NotificationKind, status: Option<StatusId>) -> Self {
        if kind.forms_groups() {
            Self::Window { kind, status, window: unix_ms_of(id.get()).div_euclid(WINDOW_MS) }
        } else {
            Self::Ungrouped(id)
        }
    }

    /// Returns the range of ids that notifications of this group can have.
    #[must_use]
    pub fn ids(self) -> Range<i64> {
        let start = |window: i64| first_id_at(window * WINDOW_MS);
        match self {
            Self::Ungrouped(id) => id.get()..id.get().saturating_add(1),
            Self::Window { window, .. } => start(window)..start(window + 1),
        }
    }
}

impl fmt::Display for GroupKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ungrouped(id) => write!(f, "ungrouped-{id}"),
            Self::Window { kind, status: Some(status), window } => {
                write!(f, "{}-{status}-{window}", kind.as_str())
            }
            Self::Window { kind, status: None, window } => write!(f, "{}-{window}", kind.as_str()),
        }
    }
}

/// Error for a text that is no key of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidGroupKey;

impl fmt::Display for InvalidGroupKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("invalid key of a notification group")
    }
}

impl Error for InvalidGroupKey {}

impl FromStr for GroupKey {
    type Err = InvalidGroupKey;

    /// Parses a key as [`Display`](fmt::Display) writes it.
    fn from_str(text: &str) -> Result<Self, InvalidGroupKey> {
        let key = parse(text).ok_or(InvalidGroupKey)?;
        // Numbers have many spellings, and keys only one.
        if key.to_string() == text { Ok(key) } else { Err(InvalidGroupKey) }
    }
}

fn parse(text: &str) -> Option<GroupKey> {
    let mut parts = text.split('-');
    let (kind, first, second) = (parts.next()?, parts.next()?, parts.next());
    if parts.next().is_some() {
        return None;
    }
    if kind == "ungrouped" && second.is_none() {
        return first.parse().ok().map(GroupKey::Ungrouped);
    }
    let kind = NotificationKind::from_name(kind).filter(|kind| kind.forms_groups())?;
    let (status, window) = match second {
        Some(window) => (Some(first.parse().ok()?), window),
        None => (None, first),
    };
    // More windows than that do not fit into an id.
    let window = window.parse().ok().filter(|window| *window < (i64::MAX >> 16) / WINDOW_MS)?;
    Some(GroupKey::Window { kind, status, window })
}

/// A group of notifications, as far as a page contains it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotificationGroup {
    /// Key of the group.
    pub key: GroupKey,
    /// Kind of all its notifications.
    pub kind: NotificationKind,
    /// Number of notifications in the group, those above the page excluded.
    pub count: i64,
    /// Newest notification of the group on the page.
    pub newest: NotificationId,
    /// Oldest notification of the group on the page.
    pub oldest: NotificationId,
    /// Time of the newest one.
    pub newest_at: Timestamp,
    /// Some accounts that caused the newest notifications, the newest first.
    pub samples: Vec<AccountId>,
    /// Status that the notifications are about.
    pub status: Option<StatusId>,
    /// Record other than a status that the notification is about.
    pub record: Option<NotificationRecord>,
}

/// A page of groups with the accounts and statuses that they refer to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupedNotifications {
    /// The groups, the one with the newest notification first.
    pub groups: Page<NotificationGroup>,
    /// Each account among the samples, once.
    pub accounts: Vec<Arc<Account>>,
    /// Each status that a group is about, once.
    pub statuses: Vec<Status>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(window: i64, ms: i64) -> NotificationId {
        NotificationId::new(first_id_at(window * WINDOW_MS + ms))
    }

    #[test]
    fn similar_notifications_of_one_window_share_a_key() {
        let status = Some(StatusId::new(7));
        let key = |id, kind, status| GroupKey::of(id, kind, status);
        let favourite = key(id(5, 0), NotificationKind::Favourite, status);
        assert_eq!(favourite, key(id(5, WINDOW_MS - 1), NotificationKind::Favourite, status));
        assert_ne!(favourite, key(id(6, 0), NotificationKind::Favourite, status));
        assert_ne!(favourite, key(id(5, 0), NotificationKind::Reblog, status));
        let other = Some(StatusId::new(8));
        assert_ne!(favourite, key(id(5, 0), NotificationKind::Favourite, other));
        let mention = |ms| key(id(5, ms), NotificationKind::Mention, status);
        assert_ne!(mention(0), mention(1));
    }

    #[test]
    fn the_ids_of_a_group_are_those_of_its_window() {
        let key = GroupKey::of(id(5, 17), NotificationKind::Follow, None);
        assert!(key.ids().contains(&id(5, 0).get()));
        assert!(key.ids().contains(&id(5, WINDOW_MS - 1).get()));
        assert_eq!(key.ids().end, id(6, 0).get());
        let single = GroupKey::of(id(5, 17), NotificationKind::Poll, None);
        assert_eq!(single.ids(), id(5, 17).get()..id(5, 17).get() + 1);
    }

    #[test]
    fn keys_of_every_kind_round_trip() {
        for kind in NotificationKind::ALL {
            for status in [None, Some(StatusId::new(7))] {
                let key = GroupKey::of(id(5, 3), kind, status);
                assert_eq!(key.to_string().parse(), Ok(key));
            }
        }
    }

    #[test]
    fn other_texts_are_no_keys() {
        for text in [
            "",
            "-",
            "ungrouped",
            "ungrouped-",
            "ungrouped-x",
            "ungrouped-1-2",
            "ungrouped-01",
            "mention-1-2",
            "favourite-1-2-3",
            "favourite-+1-2",
            "follow--1",
            "follow-9223372036854775807",
            "reaction-1-2",
            "Favourite-1-2",
        ] {
            assert_eq!(text.parse::<GroupKey>(), Err(InvalidGroupKey), "{text}");
        }
    }
}
