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
    among::IdExpression as _,
    conn::OnEngine,
    conn::each,
    events,
    schema::{
        accounts, conversation_statuses, conversations, mentions, muted_conversations, statuses,
    },
    statuses::wants_to_see,
};

/// The parts of a direct status that conversations need.
struct Said {
    id: StatusId,
    by: AccountId,
    thread: StatusId,
    /// The author and the mentioned accounts, ordered by id.
    participants: Vec<AccountId>,
}

impl Said {
    fn load(tx: &mut Tx<'_>, id: StatusId) -> Result<Self> {
        let (by, thread): (AccountId, StatusId) = statuses::table
            .filter(statuses::id.eq(id))
            .select((statuses::account_id, statuses::conversation_id))
            .first(&mut **tx)?;
        let mut participants: Vec<AccountId> = mentions::table
            .filter(mentions::status_id.eq(id))
            .select(mentions::account_id)
            .load(&mut **tx)?;
        participants.push(by);
        participants.sort_unstable();
        participants.dedup();
        Ok(Self { id, by, thread, participants })
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
pub(crate) fn file(tx: &mut Tx<'_>, status: StatusId) -> Result<()> {
    let said = Said::load(tx, status)?;
    let local: Vec<AccountId> = accounts::table
        .filter(accounts::id.among(&said.participants))
        .filter(accounts::domain.is_null())
        .order(accounts::id)
        .select(accounts::id)
        .load(&mut **tx)?;
    let listening = listening(tx, &said, &local)?;
    for owner in local {
        let is_told = listening.contains(&owner);
        let conversation = upsert(tx, &said, owner, is_told)?;
        let row = (
            conversation_statuses::conversation_id.eq(conversation),
            conversation_statuses::status_id.eq(said.id),
        );
        each!(&mut **tx, conn => diesel::insert_into(conversation_statuses::table)
            .values(row)
            .on_conflict_do_nothing()
            .execute(conn))?;
        if is_told || owner == said.by {
            tell(tx, owner, conversation)?;
        }
    }
    Ok(())
}

/// Returns the accounts of `local` that get an event and an unread mark.
fn listening(tx: &mut Tx<'_>, said: &Said, local: &[AccountId]) -> Result<HashSet<AccountId>> {
    let now = tx.now();
    let muted = muted_conversations::table
        .filter(muted_conversations::account_id.eq(accounts::id))
        .filter(muted_conversations::conversation_id.eq(said.thread));
    let listening: Vec<AccountId> = accounts::table
        .filter(accounts::id.among(local))
        .filter(accounts::id.ne(said.by))
        .filter(not(exists(muted)))
        .filter(wants_to_see!(accounts::id, now, account: said.by))
        .select(accounts::id)
        .load(&mut **tx)?;
    Ok(listening.into_iter().collect())
}

/// Inserts or updates the row of `owner`. The author has read the own status.
fn upsert(tx: &mut Tx<'_>, said: &Said, owner: AccountId, is_told: bool) -> Result<ConversationId> {
    let row = (
        conversations::id.eq(ConversationId::new(tx.next_id())),
        conversations::account_id.eq(owner),
        conversations::thread_id.eq(said.thread),
        conversations::participants.eq(said.others(owner)),
        conversations::last_status_id.eq(said.id),
        conversations::unread.eq(is_told),
        conversations::created_at.eq(tx.now().unix_ms()),
    );
    // On PostgreSQL, statuses of transactions that started earlier may arrive later.
    let newest =
        case_when(conversations::last_status_id.gt(said.id), conversations::last_status_id)
            .otherwise(said.id);
    // For other participants that get no event, the unread mark stays as it was.
    let unread = (is_told || owner == said.by).then(|| conversations::unread.eq(is_told));
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
pub(crate) fn refile(tx: &mut Tx<'_>, status: StatusId) -> Result<()> {
    let held_by = holding(tx, status)?;
    diesel::delete(conversation_statuses::table)
        .filter(conversation_statuses::status_id.eq(status))
        .execute(&mut **tx)?;
    settle(tx, &held_by)?;
    file(tx, status)
}

/// Returns the conversations with a status that is about to leave them, and locks them until the
/// transaction ends.
pub(crate) fn holding(tx: &mut Tx<'_>, status: StatusId) -> Result<Vec<ConversationId>> {
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
pub(crate) fn settle(tx: &mut Tx<'_>, held_by: &[ConversationId]) -> Result<()> {
    for id in held_by {
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
            tell(tx, owner, *id)?;
        }
    }
    Ok(())
}

fn tell(tx: &mut Tx<'_>, owner: AccountId, conversation: ConversationId) -> Result<()> {
    let payload = json!({ "account_id": owner, "conversation_id": conversation });
    events::insert(tx, CONVERSATION_CHANGED, &payload.to_string())?;
    Ok(())
}
