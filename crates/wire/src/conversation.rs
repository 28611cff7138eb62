//! Direct conversations.

use serde::{Deserialize, Serialize};
use siskin_entities::{self as view, Timestamp};
use siskin_ids::ConversationId;

use crate::{
    account::{self, Account},
    status::{self, Status},
    urls::Urls,
};

/// Conversation as one of its participants sees it.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct Conversation {
    /// Id and read state. In JSON, the fields are those of the conversation itself.
    #[serde(flatten)]
    pub state: ConversationState,
    /// The other participants, or the owner alone.
    pub accounts: Vec<Account>,
    /// Newest visible status; null if there is none.
    pub last_status: Option<Status>,
}

/// Id and read state of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct ConversationState {
    /// Id of the conversation of this owner.
    pub id: ConversationId,
    /// Whether a status arrived since the owner last read it.
    pub unread: bool,
}

/// Renders a conversation for its owner at `now`.
#[must_use]
pub fn render(conversation: &view::Conversation, urls: &Urls, now: Timestamp) -> Conversation {
    let accounts = &conversation.accounts;
    Conversation {
        state: render_state(conversation),
        accounts: accounts.iter().map(|account| account::render(account, urls)).collect(),
        last_status: conversation
            .last_status
            .as_ref()
            .map(|status| status::render(status, urls, now)),
    }
}

pub(crate) const fn render_state(conversation: &view::Conversation) -> ConversationState {
    ConversationState { id: conversation.id, unread: conversation.unread }
}
