//! Web Push: the subscriptions of clients, and the messages that they get.

use std::collections::BTreeSet;

use siskin_ids::{NotificationId, PushSubscriptionId};

use crate::{
    named::{names, parses},
    notification::NotificationKind,
};

/// Type of a notification in the API. Clients may choose any of them for their push messages. This
/// server creates those that are a [`NotificationKind`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NotificationType {
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
    /// A poll ended that the recipient voted in or created.
    Poll,
    /// An account edited a status that the recipient reblogged.
    Update,
    /// An account signed up; for staff.
    AdminSignUp,
    /// An account reported another one; for staff.
    AdminReport,
    /// Relations of the recipient ended because of a moderation action.
    SeveredRelationships,
    /// Moderators took action against the recipient.
    ModerationWarning,
    /// An account quoted a status of the recipient.
    Quote,
    /// An account edited a status that the recipient quoted.
    QuotedUpdate,
    /// An account added the recipient to a collection.
    AddedToCollection,
    /// A collection that contains the recipient changed.
    CollectionUpdate,
}

names!(NotificationType {
    Mention = "mention",
    Status = "status",
    Reblog = "reblog",
    Follow = "follow",
    FollowRequest = "follow_request",
    Favourite = "favourite",
    Poll = "poll",
    Update = "update",
    AdminSignUp = "admin.sign_up",
    AdminReport = "admin.report",
    SeveredRelationships = "severed_relationships",
    ModerationWarning = "moderation_warning",
    Quote = "quote",
    QuotedUpdate = "quoted_update",
    AddedToCollection = "added_to_collection",
    CollectionUpdate = "collection_update",
});

impl From<NotificationKind> for NotificationType {
    fn from(kind: NotificationKind) -> Self {
        match kind {
            NotificationKind::Mention => Self::Mention,
            NotificationKind::Status => Self::Status,
            NotificationKind::Reblog => Self::Reblog,
            NotificationKind::Follow => Self::Follow,
            NotificationKind::FollowRequest => Self::FollowRequest,
            NotificationKind::Favourite => Self::Favourite,
            NotificationKind::Update => Self::Update,
            NotificationKind::Poll => Self::Poll,
            NotificationKind::Quote => Self::Quote,
            NotificationKind::QuotedUpdate => Self::QuotedUpdate,
            NotificationKind::ModerationWarning => Self::ModerationWarning,
            NotificationKind::AdminReport => Self::AdminReport,
            NotificationKind::AdminSignUp => Self::AdminSignUp,
        }
    }
}

/// Which senders cause push messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PushPolicy {
    /// All accounts.
    #[default]
    All,
    /// Accounts that the subscriber follows.
    Followed,
    /// Accounts that follow the subscriber.
    Follower,
    /// No account: nothing is pushed.
    None,
}

names!(PushPolicy { All = "all", Followed = "followed", Follower = "follower", None = "none" });
parses! {
    /// Error for a text that is not the name of a policy.
    PushPolicy, UnknownPushPolicy: "must be all, followed, follower or none"
}

/// Types of notifications that a subscription gets.
pub type PushAlerts = BTreeSet<NotificationType>;

/// Web Push subscription of a client. There is at most one for each access token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushSubscription {
    /// Id of the subscription.
    pub id: PushSubscriptionId,
    /// Address of the client at its push service.
    pub endpoint: String,
    /// Whether messages are encrypted as in RFC 8291, otherwise as in its early draft.
    pub standard: bool,
    /// Which senders cause push messages.
    pub policy: PushPolicy,
    /// Types of notifications that are pushed.
    pub alerts: PushAlerts,
}

/// Content of a push message. All texts are plain.
#[derive(Clone, PartialEq, Eq)]
pub struct PushMessage {
    /// Access token of the client, by which it recognises the account.
    pub access_token: String,
    /// Language code of the user interface.
    pub locale: String,
    /// Id of the notification.
    pub notification: NotificationId,
    /// Type of the notification.
    pub kind: NotificationType,
    /// Address of the sender's avatar.
    pub icon: String,
    /// What happened, in one sentence.
    pub title: String,
    /// Beginning of the text that the notification is about; may be empty.
    pub body: String,
}

impl std::fmt::Debug for PushMessage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PushMessage")
            .field("notification", &self.notification)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_round_trips_through_its_name() {
        for kind in NotificationType::ALL {
            assert_eq!(NotificationType::from_name(kind.as_str()), Some(kind));
        }
        assert_eq!(NotificationType::from_name("reaction"), None);
    }

    #[test]
    fn every_kind_is_a_type_of_the_same_name() {
        for kind in NotificationKind::ALL {
            assert_eq!(NotificationType::from(kind).as_str(), kind.as_str());
        }
    }

    #[test]
    fn every_policy_round_trips_through_its_name() {
        for policy in PushPolicy::ALL {
            assert_eq!(policy.as_str().parse(), Ok(policy));
        }
        assert_eq!("some".parse::<PushPolicy>(), Err(UnknownPushPolicy));
    }

    #[test]
    fn debug_output_of_a_message_contains_no_secret() {
        let message = PushMessage {
            access_token: "token".to_owned(),
            locale: "en".to_owned(),
            notification: NotificationId::new(1),
            kind: NotificationType::Mention,
            icon: String::new(),
            title: "title".to_owned(),
            body: "body".to_owned(),
        };
        let text = format!("{message:?}");
        assert!(!["token", "title", "body"].iter().any(|secret| text.contains(secret)), "{text}");
    }
}
