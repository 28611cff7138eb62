//! Direct conversations.

use serde::Serialize;
use siskin_entities::{self as view, Timestamp};
use siskin_ids::ConversationId;

use crate::{
    account::{self, Account},
    status::{self, Status},
    urls::Urls,
};

/// Conversation as one of its participants sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Conversation {
    #[serde(flatten)]
    pub state: ConversationState,
    pub accounts: Vec<Account>,
    pub last_status: Option<Status>,
}

/// Id and read state of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConversationState {
    pub id: ConversationId,
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
