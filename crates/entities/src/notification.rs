//! Notifications about actions of other accounts.

mod group;
mod policy;

use std::sync::Arc;

use siskin_ids::NotificationId;

use crate::{
    account::Account, named::names, report::ShownReport, status::Status, strike::Strike,
    time::Timestamp,
};

pub use group::{GroupKey, GroupedNotifications, InvalidGroupKey, NotificationGroup};
pub use policy::{
    NotificationPolicy, NotificationRequest, PendingNotifications, PolicyAction, PolicyRule,
};

/// Cause of a notification: the causes that this server knows. The name is stored. Each is one of
/// the types of the API ([`crate::NotificationType`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NotificationKind {
    /// An account mentioned the recipient in a status.
    Mention,
    /// An account that the recipient follows with `notify` published a status.
    Status,
    /// An account reblogged a status of the recipient.
    Reblog,
    /// An account followed the recipient.
    Follow,
    /// An account requested to follow the recipient.
    FollowRequest,
    /// An account marked a status of the recipient as a favourite.
    Favourite,
    /// An account edited a status that the recipient reblogged.
    Update,
    /// A poll ended that the recipient voted in or created.
    Poll,
    /// An account quoted a status of the recipient. The notification is about the quote.
    Quote,
    /// An account edited a status that the recipient quoted. The notification is about the
    /// recipient's quote.
    QuotedUpdate,
    /// Moderators acted against the recipient, who is the account of the notification, too.
    ModerationWarning,
    /// An account reported another one. The recipient is a member of staff.
    AdminReport,
    /// An account signed up, and its email address is confirmed. The recipient is a member of
    /// staff.
    AdminSignUp,
}

names!(NotificationKind {
    Mention = "mention",
    Status = "status",
    Reblog = "reblog",
    Follow = "follow",
    FollowRequest = "follow_request",
    Favourite = "favourite",
    Update = "update",
    Poll = "poll",
    Quote = "quote",
    QuotedUpdate = "quoted_update",
    ModerationWarning = "moderation_warning",
    AdminReport = "admin.report",
    AdminSignUp = "admin.sign_up",
});

impl NotificationKind {
    /// Returns `true` if the account that caused the notification also receives it. This holds for
    /// the end of the account's own poll, and for warnings, which must not name the moderator.
    #[must_use]
    pub const fn notifies_actor(self) -> bool {
        matches!(self, Self::Poll | Self::ModerationWarning)
    }

    /// Returns `true` if notifications of this kind form groups: clients then show one entry for
    /// many accounts that did the same.
    #[must_use]
    pub const fn forms_groups(self) -> bool {
        matches!(self, Self::Favourite | Self::Reblog | Self::Follow | Self::AdminSignUp)
    }

    /// Returns `true` if the recipient's policy decides about notifications of this kind. It does
    /// not decide about statuses in which the recipient took part already, about warnings, nor
    /// about what staff have to know.
    #[must_use]
    pub const fn obeys_policy(self) -> bool {
        !matches!(
            self,
            Self::Poll
                | Self::Update
                | Self::QuotedUpdate
                | Self::ModerationWarning
                | Self::AdminReport
                | Self::AdminSignUp
        )
    }

    /// Returns `true` if only staff get notifications of this kind. Their relations to the account
    /// that caused one decide nothing: a block must not hide what staff have to know.
    #[must_use]
    pub const fn is_for_staff(self) -> bool {
        matches!(self, Self::AdminReport | Self::AdminSignUp)
    }

    /// Returns `true` if accounts can choose to get emails about notifications of this kind.
    /// Warnings have emails of their own, and so has what staff have to know.
    #[must_use]
    pub const fn is_email_topic(self) -> bool {
        !matches!(self, Self::ModerationWarning | Self::AdminReport | Self::AdminSignUp)
    }
}

/// Record other than a status that a notification is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotificationRecord {
    /// The strike of a [warning](NotificationKind::ModerationWarning).
    Strike(Arc<Strike>),
    /// The report of a [notification of staff](NotificationKind::AdminReport).
    Report(Arc<ShownReport>),
}

/// Notification with all data that is needed to render it for its recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// Id of the notification.
    pub id: NotificationId,
    /// Cause.
    pub kind: NotificationKind,
    /// Account that caused it.
    pub account: Arc<Account>,
    /// Status that it is about; `None` if it is about the account only.
    pub status: Option<Status>,
    /// Record other than a status that it is about.
    pub record: Option<NotificationRecord>,
    /// Time of the cause.
    pub created_at: Timestamp,
    /// Whether the recipient's policy filtered it.
    pub filtered: bool,
}

impl Notification {
    /// Returns the key of the group that contains this notification. A filtered notification is a
    /// group of its own, because groups contain what the recipient's policy accepts.
    #[must_use]
    pub fn group_key(&self) -> GroupKey {
        if self.filtered {
            return GroupKey::Ungrouped(self.id);
        }
        GroupKey::of(self.id, self.kind, self.status.as_ref().map(|status| status.body.id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_round_trips_through_its_name() {
        for kind in NotificationKind::ALL {
            assert_eq!(NotificationKind::from_name(kind.as_str()), Some(kind));
        }
        assert_eq!(NotificationKind::from_name("reaction"), None);
    }
}
