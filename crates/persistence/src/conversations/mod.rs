//! Direct conversations: each local participant has their own row for what the same people said to
//! each other directly in one thread.
//!
//! Rows are kept in the transactions that write, edit and remove direct statuses. What a reader may
//! see of them, and wants to, is asked when they are read.

mod file;
mod load;

use diesel::prelude::*;
use siskin_ids::{AccountId, ConversationId};

use crate::{Result, Tx, schema::conversations};

pub(crate) use file::{file, holding, refile, settle};
pub use load::{ConversationRow, find, page_of};

/// The kind of the event that follows a new, or another, last status of a conversation; its payload
/// is JSON: `{"account_id":"…","conversation_id":"…"}`.
pub const CONVERSATION_CHANGED: &str = "conversation_changed";

/// Marks a conversation of `owner` as read or unread; false where there is none with this id.
pub fn mark(tx: &mut Tx<'_>, owner: AccountId, id: ConversationId, unread: bool) -> Result<bool> {
    let changed = diesel::update(conversations::table)
        .filter(conversations::id.eq(id))
        .filter(conversations::account_id.eq(owner))
        .set(conversations::unread.eq(unread))
        .execute(&mut **tx)?;
    Ok(changed == 1)
}

/// Removes a conversation of `owner`, not what was said in it; false where there is none with this
/// id.
pub fn remove(tx: &mut Tx<'_>, owner: AccountId, id: ConversationId) -> Result<bool> {
    let removed = diesel::delete(conversations::table)
        .filter(conversations::id.eq(id))
        .filter(conversations::account_id.eq(owner))
        .execute(&mut **tx)?;
    Ok(removed == 1)
}
