//! Updates the conversations of the participants of direct statuses.

use std::collections::HashSet;

use diesel::{
    dsl::{case_when, exists, max, not},
    prelude::*,
};
use serde_json::json;
use siskin_ids::{AccountId, ConversationId, StatusId};

use super::CONVERSATION_CHANGED;
use crate::{
    Result, Tx,
    conn::OnEngine,
    conn::each,
    equals_any::IdExpression as _,
    events,
    schema::{
        accounts, conversation_statuses, conversations, mentions, muted_conversations, statuses,
    },
    statuses::neither_blocks_nor_mutes,
    unique::sorted_unique,
};

/// The parts of a direct status that conversations need.
struct DirectStatus {
    id: StatusId,
    author: AccountId,
    thread: StatusId,
    /// The author and the mentioned accounts, ordered by id.
    participants: Vec<AccountId>,
}

impl DirectStatus {
    fn load(tx: &mut Tx<'_>, id: StatusId) -> Result<Self> {
        let (author, thread): (AccountId, StatusId) = statuses::table
            .filter(statuses::id.eq(id))
            .select((statuses::account_id, statuses::conversation_id))
            .first(&mut **tx)?;
        let mentioned: Vec<AccountId> = mentions::table
            .filter(mentions::status_id.eq(id))
            .select(mentions::account_id)
            .load(&mut **tx)?;
        let participants = sorted_unique(mentioned.into_iter().chain([author]));
        Ok(Self { id, author, thread, participants })
    }

    /// Returns the participants other than `owner`, as the row of `owner` stores them.
    fn others(&self, owner: AccountId) -> String {
        let others = self.participants.iter().filter(|other| **other != owner);
        others.map(ToString::to_string).collect::<Vec<_>>().join(",")
    }
}

/// Adds a new direct status to the conversations of its local participants. For each participant it
/// marks the conversation unread and publishes an event. Exceptions are the author, participants
/// who block or mute the author, and participants who muted the thread.
pub(crate) fn add_status(tx: &mut Tx<'_>, status: StatusId) -> Result<()> {
    let status_parts = DirectStatus::load(tx, status)?;
    let local: Vec<AccountId> = accounts::table
        .filter(accounts::id.equals_any(&status_parts.participants))
        .filter(accounts::domain.is_null())
        .order(accounts::id)
        .select(accounts::id)
        .load(&mut **tx)?;
    let notified = notified(tx, &status_parts, &local)?;
    for owner in local {
        let is_notified = notified.contains(&owner);
        let conversation = upsert(tx, &status_parts, owner, is_notified)?;
        let row = (
            conversation_statuses::conversation_id.eq(conversation),
            conversation_statuses::status_id.eq(status_parts.id),
        );
        each!(&mut **tx, conn => diesel::insert_into(conversation_statuses::table)
            .values(row)
            .on_conflict_do_nothing()
            .execute(conn))?;
        if is_notified || owner == status_parts.author {
            publish_change(tx, owner, conversation)?;
        }
    }
    Ok(())
}

/// Returns the accounts of `local` that get an event and an unread mark.
fn notified(
    tx: &mut Tx<'_>,
    status_parts: &DirectStatus,
    local: &[AccountId],
) -> Result<HashSet<AccountId>> {
    let now = tx.now();
    let muted = muted_conversations::table
        .filter(muted_conversations::account_id.eq(accounts::id))
        .filter(muted_conversations::conversation_id.eq(status_parts.thread));
    let notified: Vec<AccountId> = accounts::table
        .filter(accounts::id.equals_any(local))
        .filter(accounts::id.ne(status_parts.author))
        .filter(not(exists(muted)))
        .filter(neither_blocks_nor_mutes!(accounts::id, now, account: status_parts.author))
        .select(accounts::id)
        .load(&mut **tx)?;
    Ok(notified.into_iter().collect())
}

/// Inserts or updates the row of `owner`. The author has read the own status.
fn upsert(
    tx: &mut Tx<'_>,
    status_parts: &DirectStatus,
    owner: AccountId,
    is_notified: bool,
) -> Result<ConversationId> {
    let row = (
        conversations::id.eq(ConversationId::new(tx.next_id())),
        conversations::account_id.eq(owner),
        conversations::thread_id.eq(status_parts.thread),
        conversations::participants.eq(status_parts.others(owner)),
        conversations::last_status_id.eq(status_parts.id),
        conversations::unread.eq(is_notified),
        conversations::created_at.eq(tx.now().unix_ms()),
    );
    // On PostgreSQL, statuses of transactions that started earlier may arrive later.
    let newest =
        case_when(conversations::last_status_id.gt(status_parts.id), conversations::last_status_id)
            .otherwise(status_parts.id);
    // For other participants that get no event, the unread mark stays as it was.
    let unread = (is_notified || owner == status_parts.author)
        .then(|| conversations::unread.eq(is_notified));
    let id: ConversationId = each!(&mut **tx, conn => diesel::insert_into(conversations::table)
        .values(row)
        .on_conflict((
            conversations::account_id,
            conversations::thread_id,
            conversations::participants,
        ))
        .do_update()
        .set((
            conversations::last_status_id.eq(newest),
            unread,
        ))
        .returning(conversations::id)
        .get_result(conn))?;
    Ok(id)
}

/// Files a direct status again after an edit mentioned further accounts.
pub(crate) fn reassign_status(tx: &mut Tx<'_>, status: StatusId) -> Result<()> {
    let conversation_ids = lock_containing(tx, status)?;
    diesel::delete(conversation_statuses::table)
        .filter(conversation_statuses::status_id.eq(status))
        .execute(&mut **tx)?;
    update_after_removal(tx, &conversation_ids)?;
    add_status(tx, status)
}

/// Returns the conversations with a status that is about to leave them, and locks them until the
/// transaction ends.
pub(crate) fn lock_containing(tx: &mut Tx<'_>, status: StatusId) -> Result<Vec<ConversationId>> {
    let ids = conversation_statuses::table
        .filter(conversation_statuses::status_id.eq(status))
        .select(conversation_statuses::conversation_id);
    let rows = conversations::table
        .filter(conversations::id.eq_any(ids))
        .order(conversations::account_id)
        .select(conversations::id);
    Ok(match tx.on_engine() {
        OnEngine::Postgres(pg) => rows.for_update().load(pg)?,
        OnEngine::Sqlite(sqlite) => rows.load(sqlite)?,
    })
}

/// Updates conversations that lost a status: sets their newest remaining status, or deletes them if
/// none remains.
pub(crate) fn update_after_removal(
    tx: &mut Tx<'_>,
    conversation_ids: &[ConversationId],
) -> Result<()> {
    for id in conversation_ids {
        let newest: Option<StatusId> = conversation_statuses::table
            .filter(conversation_statuses::conversation_id.eq(id))
            .select(max(conversation_statuses::status_id))
            .first(&mut **tx)?;
        let row = conversations::table.filter(conversations::id.eq(id));
        let Some(newest) = newest else {
            diesel::delete(row).execute(&mut **tx)?;
            continue;
        };
        let (owner, before): (AccountId, StatusId) = row
            .select((conversations::account_id, conversations::last_status_id))
            .first(&mut **tx)?;
        if before != newest {
            diesel::update(row).set(conversations::last_status_id.eq(newest)).execute(&mut **tx)?;
            publish_change(tx, owner, *id)?;
        }
    }
    Ok(())
}

fn publish_change(tx: &mut Tx<'_>, owner: AccountId, conversation: ConversationId) -> Result<()> {
    let payload = json!({ "account_id": owner, "conversation_id": conversation });
    events::insert(tx, CONVERSATION_CHANGED, &payload.to_string())?;
    Ok(())
}
