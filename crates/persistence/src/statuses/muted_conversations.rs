//! Muted conversations. Muting one twice changes nothing.

use diesel::prelude::*;
use siskin_ids::{AccountId, StatusId};

use crate::{Result, Tx, conn::each, schema::muted_conversations};

/// Mutes a conversation. Its id is the id of its first status.
pub fn add(tx: &mut Tx<'_>, account: AccountId, conversation: StatusId) -> Result<()> {
    let row = (
        muted_conversations::account_id.eq(account),
        muted_conversations::conversation_id.eq(conversation),
        muted_conversations::created_at.eq(tx.now().unix_ms()),
    );
    each!(&mut **tx, conn => diesel::insert_into(muted_conversations::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok(())
}

/// Unmutes a conversation.
pub fn remove(tx: &mut Tx<'_>, account: AccountId, conversation: StatusId) -> Result<()> {
    diesel::delete(muted_conversations::table)
        .filter(muted_conversations::account_id.eq(account))
        .filter(muted_conversations::conversation_id.eq(conversation))
        .execute(&mut **tx)?;
    Ok(())
}
