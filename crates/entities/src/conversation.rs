//! Direct conversations.

use std::sync::Arc;

use siskin_ids::ConversationId;

use crate::{account::Account, status::Status};

/// Conversation as one participant sees it. Every participant has their own copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// Id of this participant's copy.
    pub id: ConversationId,
    /// `true` if a status arrived since the owner last read the conversation.
    pub unread: bool,
    /// The other participants, or the owner alone if there are no others.
    pub accounts: Vec<Arc<Account>>,
    /// Newest status that is visible to the owner and not hidden by a block or mute.
    pub last_status: Option<Status>,
}
