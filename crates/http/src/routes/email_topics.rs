//! What people read about the topics of emails: the settings, and the page that ends emails.

use siskin_entities::{EmailTopic, NotificationKind};

/// Returns what completes the sentence “Send me an email when …”, as a label of its own.
pub(super) const fn words(topic: EmailTopic) -> &'static str {
    match topic {
        EmailTopic::Notifications(kind) => match kind {
            NotificationKind::Mention => "Someone mentions me",
            NotificationKind::Status => "Someone I subscribed to publishes a post",
            NotificationKind::Reblog => "Someone reblogs my post",
            NotificationKind::Follow => "Someone follows me",
            NotificationKind::FollowRequest => "Someone requests to follow me",
            NotificationKind::Favourite => "Someone favourites my post",
            NotificationKind::Update => "Someone edits a post that I reblogged",
            NotificationKind::Poll => "A poll ends that I voted in or created",
            NotificationKind::Quote => "Someone quotes my post",
            NotificationKind::QuotedUpdate => "Someone edits a post that I quoted",
            NotificationKind::ModerationWarning => "The moderators act against me",
            NotificationKind::AdminReport => "Someone reports an account",
            NotificationKind::AdminSignUp => "Someone signs up",
        },
        EmailTopic::Digest => "I was away for a week, with a summary of what I missed",
    }
}
