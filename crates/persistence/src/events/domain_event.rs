//! Events for streams, and their stored form.
//!
//! A row names the changed object and does not contain it: each subscriber reads the state at that
//! moment. Events about deleted objects contain the data that decides which subscribers get them.

use serde::{Deserialize, Serialize};
use siskin_ids::{
    AccountId, AnnouncementId, ApplicationId, ConversationId, NotificationId, StatusId, TagId,
    TokenId,
};

use super::{Event, FILTERS_CHANGED, insert, insert_all};
use crate::{Result, Tx, conversations::CONVERSATION_CHANGED};

/// An event that streams forward, or that ends streams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DomainEvent {
    /// A status or a reblog was published.
    StatusPublished(StatusId),
    /// A status has new content or looks different.
    StatusEdited(StatusId),
    /// A status or a reblog was deleted.
    StatusDeleted(DeletedStatus),
    /// Notifications with one cause, and their recipients.
    Notified(Vec<(AccountId, NotificationId)>),
    /// Filtered notifications of this account became visible.
    NotificationsMerged(AccountId),
    /// The filters of this account changed.
    FiltersChanged(AccountId),
    /// A conversation has another last status.
    ConversationChanged(ChangedConversation),
    /// An announcement was published, or a published one was edited.
    AnnouncementPublished(AnnouncementId),
    /// The reactions to an announcement with one emoji changed.
    AnnouncementReacted(ChangedReaction),
    /// An announcement is no longer published.
    AnnouncementWithdrawn(AnnouncementId),
    /// Some access tokens are no longer valid.
    AccessEnded(Access),
}

/// Data of a deleted status that is needed to find its recipients.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeletedStatus {
    pub id: StatusId,
    pub account: AccountId,
    /// Whether the author is a local account.
    pub local: bool,
    /// Number of the visibility.
    pub visibility: i16,
    pub is_reblog: bool,
    /// Author of the parent status. `None` if there is no parent, or if its author is unknown.
    pub answered: Option<AccountId>,
    pub has_media: bool,
    pub tags: Vec<(TagId, String)>,
    pub mentions: Vec<AccountId>,
    /// Some of the rebloggers. Their followers may have received the status only through the
    /// reblog.
    pub rebloggers: Vec<AccountId>,
}

/// A conversation and its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedConversation {
    pub account_id: AccountId,
    pub conversation_id: ConversationId,
}

/// The reactions to an announcement with the same emoji.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ChangedReaction {
    pub announcement_id: AnnouncementId,
    /// A Unicode emoji, or the shortcode of a custom emoji.
    pub name: String,
}

/// The tokens that must be validated again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    Token(TokenId),
    Account(AccountId),
    Application(ApplicationId),
}

const STATUS_PUBLISHED: &str = "status_published";
const STATUS_EDITED: &str = "status_edited";
const STATUS_DELETED: &str = "status_deleted";
const NOTIFIED: &str = "notified";
const NOTIFICATIONS_MERGED: &str = "notifications_merged";
const ANNOUNCEMENT_PUBLISHED: &str = "announcement_published";
const ANNOUNCEMENT_REACTED: &str = "announcement_reacted";
const ANNOUNCEMENT_WITHDRAWN: &str = "announcement_withdrawn";
const ACCESS_ENDED: &str = "access_ended";

impl DomainEvent {
    /// Parses an event. Returns `None` for kinds that do not concern streams, and for payloads of
    /// another program version that this one cannot parse.
    #[must_use]
    pub fn of(event: &Event) -> Option<Self> {
        let payload = event.payload.as_str();
        match event.kind.as_str() {
            STATUS_PUBLISHED => payload.parse().ok().map(Self::StatusPublished),
            STATUS_EDITED => payload.parse().ok().map(Self::StatusEdited),
            STATUS_DELETED => serde_json::from_str(payload).ok().map(Self::StatusDeleted),
            NOTIFIED => serde_json::from_str(payload).ok().map(Self::Notified),
            NOTIFICATIONS_MERGED => payload.parse().ok().map(Self::NotificationsMerged),
            FILTERS_CHANGED => payload.parse().ok().map(Self::FiltersChanged),
            CONVERSATION_CHANGED => {
                serde_json::from_str(payload).ok().map(Self::ConversationChanged)
            }
            ANNOUNCEMENT_PUBLISHED => payload.parse().ok().map(Self::AnnouncementPublished),
            ANNOUNCEMENT_REACTED => {
                serde_json::from_str(payload).ok().map(Self::AnnouncementReacted)
            }
            ANNOUNCEMENT_WITHDRAWN => payload.parse().ok().map(Self::AnnouncementWithdrawn),
            ACCESS_ENDED => serde_json::from_str(payload).ok().map(Self::AccessEnded),
            _ => None,
        }
    }

    /// Inserts the event. It becomes visible when the transaction commits.
    ///
    /// # Errors
    /// Storage errors.
    pub fn write(&self, tx: &mut Tx<'_>) -> Result<()> {
        let (kind, payload) = self.stored();
        insert(tx, kind, &payload)?;
        Ok(())
    }

    /// Inserts events in this order, with one statement.
    ///
    /// # Errors
    /// Storage errors.
    pub fn write_all(tx: &mut Tx<'_>, events: &[Self]) -> Result<()> {
        insert_all(tx, &events.iter().map(Self::stored).collect::<Vec<_>>())
    }

    /// Returns the kind and the payload in their stored form.
    fn stored(&self) -> (&'static str, String) {
        match self {
            Self::StatusPublished(id) => (STATUS_PUBLISHED, id.to_string()),
            Self::StatusEdited(id) => (STATUS_EDITED, id.to_string()),
            Self::StatusDeleted(deleted) => (STATUS_DELETED, json(deleted)),
            Self::Notified(notified) => (NOTIFIED, json(notified)),
            Self::NotificationsMerged(account) => (NOTIFICATIONS_MERGED, account.to_string()),
            Self::FiltersChanged(account) => (FILTERS_CHANGED, account.to_string()),
            Self::ConversationChanged(changed) => (CONVERSATION_CHANGED, json(changed)),
            Self::AnnouncementPublished(id) => (ANNOUNCEMENT_PUBLISHED, id.to_string()),
            Self::AnnouncementReacted(changed) => (ANNOUNCEMENT_REACTED, json(changed)),
            Self::AnnouncementWithdrawn(id) => (ANNOUNCEMENT_WITHDRAWN, id.to_string()),
            Self::AccessEnded(access) => (ACCESS_ENDED, json(access)),
        }
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("structs of ids and flags can be serialized as JSON")
}

#[cfg(test)]
mod tests {
    use siskin_entities::Timestamp;
    use siskin_ids::EventId;

    use super::*;

    fn event(kind: &str, payload: &str) -> Event {
        Event {
            id: EventId::new(1),
            position: 1,
            kind: kind.to_owned(),
            payload: payload.to_owned(),
            created_at: Timestamp::from_unix_ms(0),
        }
    }

    #[test]
    fn events_of_other_modules_are_parsed() {
        let seven = AccountId::new(7);
        assert_eq!(
            DomainEvent::of(&event("filters_changed", "7")),
            Some(DomainEvent::FiltersChanged(seven))
        );
        let conversation = r#"{"account_id":"7","conversation_id":"9"}"#;
        assert_eq!(
            DomainEvent::of(&event("conversation_changed", conversation)),
            Some(DomainEvent::ConversationChanged(ChangedConversation {
                account_id: seven,
                conversation_id: ConversationId::new(9)
            }))
        );
    }

    #[test]
    fn events_about_announcements_are_read_as_written() {
        let id = AnnouncementId::new(7);
        let changed = ChangedReaction { announcement_id: id, name: "\u{1F426}\"".to_owned() };
        for written in [
            DomainEvent::AnnouncementPublished(id),
            DomainEvent::AnnouncementReacted(changed),
            DomainEvent::AnnouncementWithdrawn(id),
        ] {
            let (kind, payload) = written.stored();
            assert_eq!(DomainEvent::of(&event(kind, &payload)), Some(written));
        }
    }

    #[test]
    fn invalid_events_are_none() {
        for (kind, payload) in [
            ("settings_changed", "site_title"),
            ("status_published", "abc"),
            ("status_deleted", "{}"),
            ("filters_changed", ""),
        ] {
            assert_eq!(DomainEvent::of(&event(kind, payload)), None, "{kind} {payload}");
        }
    }
}
