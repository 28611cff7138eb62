//! What happened, as streams have to hear of it, and how it stands in a row.
//!
//! A row names what is to be shown and does not hold it: whoever hears of it reads what is there at
//! that moment. What is gone by then leaves behind what must be known to tell those who had it.

use serde::{Deserialize, Serialize};
use siskin_ids::{
    AccountId, ApplicationId, ConversationId, NotificationId, StatusId, TagId, TokenId,
};

use super::{Event, FILTERS_CHANGED, insert};
use crate::{Result, Tx, conversations::CONVERSATION_CHANGED};

/// Something that streams tell, or that ends them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happened {
    /// A status or a reblog is there.
    StatusPublished(StatusId),
    /// A status says something else, or looks different.
    StatusEdited(StatusId),
    /// A status or a reblog is gone.
    StatusDeleted(DeletedStatus),
    /// Notifications of one cause, with their recipients.
    Notified(Vec<(AccountId, NotificationId)>),
    /// The filters of somebody are others.
    FiltersChanged(AccountId),
    /// A conversation of somebody has another last status.
    ConversationChanged(ChangedConversation),
    /// Some tokens may not act any more.
    AccessEnded(Access),
}

/// What is left of a status to tell those who could read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeletedStatus {
    pub id: StatusId,
    pub account: AccountId,
    /// Whether the author is of this server.
    pub local: bool,
    /// Its number.
    pub visibility: i16,
    pub is_reblog: bool,
    /// Whom it answered: None too where that is nobody.
    pub answered: Option<AccountId>,
    pub has_media: bool,
    pub tags: Vec<(TagId, String)>,
    pub mentions: Vec<AccountId>,
    /// Some of those who reblogged it: their followers may have it by that alone.
    pub rebloggers: Vec<AccountId>,
}

/// A conversation of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedConversation {
    pub account_id: AccountId,
    pub conversation_id: ConversationId,
}

/// Whose tokens are to be looked at again.
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
const ACCESS_ENDED: &str = "access_ended";

impl Happened {
    /// What an event says; None for kinds that are no matter of streams, and for payloads that
    /// this program does not understand (another version wrote them).
    #[must_use]
    pub fn of(event: &Event) -> Option<Self> {
        let payload = event.payload.as_str();
        match event.kind.as_str() {
            STATUS_PUBLISHED => payload.parse().ok().map(Self::StatusPublished),
            STATUS_EDITED => payload.parse().ok().map(Self::StatusEdited),
            STATUS_DELETED => serde_json::from_str(payload).ok().map(Self::StatusDeleted),
            NOTIFIED => serde_json::from_str(payload).ok().map(Self::Notified),
            FILTERS_CHANGED => payload.parse().ok().map(Self::FiltersChanged),
            CONVERSATION_CHANGED => {
                serde_json::from_str(payload).ok().map(Self::ConversationChanged)
            }
            ACCESS_ENDED => serde_json::from_str(payload).ok().map(Self::AccessEnded),
            _ => None,
        }
    }

    /// Writes it as an event that becomes visible with the transaction.
    ///
    /// # Errors
    /// Those of storage.
    pub fn write(&self, tx: &mut Tx<'_>) -> Result<()> {
        let (kind, payload) = match self {
            Self::StatusPublished(id) => (STATUS_PUBLISHED, id.to_string()),
            Self::StatusEdited(id) => (STATUS_EDITED, id.to_string()),
            Self::StatusDeleted(gone) => (STATUS_DELETED, json(gone)),
            Self::Notified(news) => (NOTIFIED, json(news)),
            Self::FiltersChanged(account) => (FILTERS_CHANGED, account.to_string()),
            Self::ConversationChanged(changed) => (CONVERSATION_CHANGED, json(changed)),
            Self::AccessEnded(access) => (ACCESS_ENDED, json(access)),
        };
        insert(tx, kind, &payload)?;
        Ok(())
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("structs of ids and flags are JSON")
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
    fn what_others_write_is_understood() {
        let seven = AccountId::new(7);
        assert_eq!(
            Happened::of(&event("filters_changed", "7")),
            Some(Happened::FiltersChanged(seven))
        );
        let conversation = r#"{"account_id":"7","conversation_id":"9"}"#;
        assert_eq!(
            Happened::of(&event("conversation_changed", conversation)),
            Some(Happened::ConversationChanged(ChangedConversation {
                account_id: seven,
                conversation_id: ConversationId::new(9)
            }))
        );
    }

    #[test]
    fn what_is_not_understood_is_nothing() {
        for (kind, payload) in [
            ("settings_changed", "site_title"),
            ("status_published", "abc"),
            ("status_deleted", "{}"),
            ("filters_changed", ""),
        ] {
            assert_eq!(Happened::of(&event(kind, payload)), None, "{kind} {payload}");
        }
    }
}
