//! Notifications about actions of other accounts.

use std::sync::Arc;

use siskin_ids::NotificationId;

use crate::{account::Account, status::Status, time::Timestamp};

/// Cause of a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NotificationKind {
    /// An account mentioned the recipient in a status.
    Mention,
    /// An account that the recipient follows with `notify` published a status.
    Status,
    Reblog,
    Follow,
    FollowRequest,
    Favourite,
    /// An account edited a status that the recipient reblogged.
    Update,
    /// A poll ended that the recipient voted in or created.
    Poll,
}

impl NotificationKind {
    /// All kinds that this server creates.
    pub const ALL: [Self; 8] = [
        Self::Mention,
        Self::Status,
        Self::Reblog,
        Self::Follow,
        Self::FollowRequest,
        Self::Favourite,
        Self::Update,
        Self::Poll,
    ];

    /// Returns `true` if the account that caused the notification also receives it. This holds only
    /// for the end of the account's own poll.
    #[must_use]
    pub const fn is_for_its_cause_too(self) -> bool {
        matches!(self, Self::Poll)
    }

    /// Returns the name used in the API and in storage.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mention => "mention",
            Self::Status => "status",
            Self::Reblog => "reblog",
            Self::Follow => "follow",
            Self::FollowRequest => "follow_request",
            Self::Favourite => "favourite",
            Self::Update => "update",
            Self::Poll => "poll",
        }
    }

    /// Returns the kind with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// Notification with all data that is needed to render it for its recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    pub id: NotificationId,
    pub kind: NotificationKind,
    /// Account that caused it.
    pub account: Arc<Account>,
    pub status: Option<Status>,
    pub created_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_back_from_its_name() {
        for kind in NotificationKind::ALL {
            assert_eq!(NotificationKind::from_name(kind.as_str()), Some(kind));
        }
        assert_eq!(NotificationKind::from_name("reaction"), None);
    }
}
