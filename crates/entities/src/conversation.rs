//! What a few people say to each other directly.

use std::sync::Arc;

use siskin_ids::ConversationId;

use crate::{account::Account, status::Status};

/// A conversation as one of its participants sees it: each has their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    pub id: ConversationId,
    /// Something was said since they read it.
    pub unread: bool,
    /// The others; where there are none, the reader.
    pub accounts: Vec<Arc<Account>>,
    /// The newest status that they may see and want to.
    pub last_status: Option<Status>,
}
