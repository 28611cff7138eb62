//! Notifications: what happened to whom.

use std::sync::Arc;

use siskin_ids::NotificationId;

use crate::{account::Account, status::Status, time::Timestamp};

/// Why a notification was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NotificationKind {
    /// Someone named the recipient in a status.
    Mention,
    /// Someone whom the recipient follows with `notify` wrote a status.
    Status,
    Reblog,
    Follow,
    FollowRequest,
    Favourite,
    /// Someone edited a status that the recipient reblogged.
    Update,
    /// A poll ended that the recipient voted in, or wrote.
    Poll,
}

impl NotificationKind {
    /// Every kind that this server makes today.
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

    /// Whether people are told of what they did themselves: of the end of their own poll.
    #[must_use]
    pub const fn is_for_its_cause_too(self) -> bool {
        matches!(self, Self::Poll)
    }

    /// The name on the wire and in storage.
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

    /// The kind with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// One notification, complete enough to be shown to its recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    pub id: NotificationId,
    pub kind: NotificationKind,
    /// Who caused it.
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
