//! Direct conversations. Each local participant has a row of their own for each thread and set of
//! other participants.
//!
//! The transactions that write, edit and delete direct statuses update the rows. Visibility and
//! mutes are checked on read.

mod add_status;
mod load;

use diesel::prelude::*;
use siskin_ids::{AccountId, ConversationId};

use crate::{Result, Tx, schema::conversations};

pub(crate) use add_status::{add_status, lock_containing, reassign_status, update_after_removal};
pub use load::{ConversationRow, find, page_of};

/// Kind of the event that is published when a conversation gets another last status. Its payload is
/// JSON: `{"account_id":"…","conversation_id":"…"}`.
pub const CONVERSATION_CHANGED: &str = "conversation_changed";

/// Marks a conversation of `owner` as read or unread. Returns `false` if `owner` has none with this
/// id.
pub fn mark(tx: &mut Tx<'_>, owner: AccountId, id: ConversationId, unread: bool) -> Result<bool> {
    let changed = diesel::update(conversations::table)
        .filter(conversations::id.eq(id))
        .filter(conversations::account_id.eq(owner))
        .set(conversations::unread.eq(unread))
        .execute(&mut **tx)?;
    Ok(changed == 1)
}

/// Deletes a conversation of `owner`, but not its statuses. Returns `false` if `owner` has none
/// with this id.
pub fn remove(tx: &mut Tx<'_>, owner: AccountId, id: ConversationId) -> Result<bool> {
    let removed = diesel::delete(conversations::table)
        .filter(conversations::id.eq(id))
        .filter(conversations::account_id.eq(owner))
        .execute(&mut **tx)?;
    Ok(removed == 1)
}
