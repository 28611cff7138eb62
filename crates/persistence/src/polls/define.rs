//! Writes what is asked. Whoever changes a poll, or votes in it, [locks](lock) it first.

use diesel::prelude::*;
use siskin_entities::polls::Definition;
use siskin_ids::{PollId, PollOptionId, StatusId};

use crate::{
    Result, Tx,
    conn::OnEngine,
    conn::each,
    schema::{poll_options, poll_votes, polls},
};

/// Adds a poll, which opens now, to a status that has none.
pub fn insert(tx: &mut Tx<'_>, status: StatusId, definition: &Definition) -> Result<PollId> {
    let (id, now) = (PollId::new(tx.next_id()), tx.now());
    let row = (
        polls::id.eq(id),
        polls::status_id.eq(status),
        polls::multiple.eq(definition.multiple()),
        polls::hide_totals.eq(definition.hides_totals()),
        polls::expires_at.eq(definition.end(now).unix_ms()),
        polls::created_at.eq(now.unix_ms()),
    );
    diesel::insert_into(polls::table).values(row).execute(&mut **tx)?;
    insert_options(tx, id, definition)?;
    Ok(id)
}

/// Keeps others from changing a poll, or voting in it, until the transaction ends; false where it
/// is gone. What is read of it afterwards is how it stands. Whoever needs its status to stay
/// [holds](crate::statuses::hold) that first.
pub fn lock(tx: &mut Tx<'_>, id: PollId) -> Result<bool> {
    let row = polls::table.find(id).select(polls::id);
    let found: Option<PollId> = match tx.on_engine() {
        OnEngine::Postgres(pg) => row.for_update().first(pg).optional()?,
        // There is one writer at a time, and this is it.
        OnEngine::Sqlite(sqlite) => row.first(sqlite).optional()?,
    };
    Ok(found.is_some())
}

/// Makes another question of a locked poll: it has these options from now on, without a vote, and
/// is open anew. It stays the same poll, so that nobody is told of its end a second time.
pub fn replace(tx: &mut Tx<'_>, id: PollId, definition: &Definition) -> Result<()> {
    diesel::delete(poll_votes::table.filter(poll_votes::poll_id.eq(id))).execute(&mut **tx)?;
    diesel::delete(poll_options::table.filter(poll_options::poll_id.eq(id))).execute(&mut **tx)?;
    insert_options(tx, id, definition)?;
    diesel::update(polls::table.find(id))
        .set((polls::multiple.eq(definition.multiple()), polls::voters_count.eq(0)))
        .execute(&mut **tx)?;
    keep(tx, id, definition)
}

/// Keeps a locked poll with its votes, and changes what is no part of the question: when it ends,
/// counted from now, and what it hides until then. To be told beforehand from another question by
/// `Definition::resets`. Where nothing at all changes there is nothing to call.
pub fn keep(tx: &mut Tx<'_>, id: PollId, definition: &Definition) -> Result<()> {
    let end = definition.end(tx.now()).unix_ms();
    diesel::update(polls::table.find(id))
        .set((
            polls::hide_totals.eq(definition.hides_totals()),
            polls::expires_at.eq(end),
            polls::closed_at.eq(None::<i64>),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Takes a poll from its status, with all votes; nothing where it is gone.
pub fn remove(tx: &mut Tx<'_>, id: PollId) -> Result<()> {
    diesel::delete(polls::table.find(id)).execute(&mut **tx)?;
    Ok(())
}

fn insert_options(tx: &mut Tx<'_>, id: PollId, definition: &Definition) -> Result<()> {
    let row = |(position, title): (i32, &String)| {
        (
            poll_options::id.eq(PollOptionId::new(tx.next_id())),
            poll_options::poll_id.eq(id),
            poll_options::position.eq(position),
            poll_options::title.eq(title.clone()),
        )
    };
    let rows: Vec<_> = (0..).zip(definition.options()).map(row).collect();
    each!(&mut **tx, conn => diesel::insert_into(poll_options::table).values(rows).execute(conn))?;
    Ok(())
}
