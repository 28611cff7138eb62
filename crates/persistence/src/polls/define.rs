//! Writes polls. A caller that changes a poll, or votes in it, must [lock] it first.

use diesel::prelude::*;
use siskin_entities::polls::Definition;
use siskin_ids::{PollId, PollOptionId, StatusId};

use crate::{
    Result, Tx,
    conn::OnEngine,
    conn::each,
    schema::{poll_options, poll_votes, polls},
};

/// Inserts a poll for a status that has none. It opens now.
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

/// Locks a poll against changes and votes of others until the transaction ends. Returns `false` if
/// the poll is gone. What the transaction reads afterwards stays true. A caller that needs its
/// status to stay must [lock](crate::statuses::lock_against_deletion) the status first.
pub fn lock(tx: &mut Tx<'_>, id: PollId) -> Result<bool> {
    let row = polls::table.find(id).select(polls::id);
    let found: Option<PollId> = match tx.on_engine() {
        OnEngine::Postgres(pg) => row.for_update().first(pg).optional()?,
        // SQLite has one writer at a time, and this transaction is it.
        OnEngine::Sqlite(sqlite) => row.first(sqlite).optional()?,
    };
    Ok(found.is_some())
}

/// Replaces the options of a locked poll, deletes its votes and opens it again. The poll keeps its
/// id, so no account gets a second announcement of its end.
pub fn replace(tx: &mut Tx<'_>, id: PollId, definition: &Definition) -> Result<()> {
    diesel::delete(poll_votes::table.filter(poll_votes::poll_id.eq(id))).execute(&mut **tx)?;
    diesel::delete(poll_options::table.filter(poll_options::poll_id.eq(id))).execute(&mut **tx)?;
    insert_options(tx, id, definition)?;
    diesel::update(polls::table.find(id))
        .set((polls::multiple.eq(definition.multiple()), polls::voters_count.eq(0)))
        .execute(&mut **tx)?;
    update_settings(tx, id, definition)
}

/// Updates a locked poll without touching its votes: its end, counted from now, and whether it
/// hides totals until then. The caller checks with `Definition::resets` that the options are the
/// same, and does not call this if nothing changes.
pub fn update_settings(tx: &mut Tx<'_>, id: PollId, definition: &Definition) -> Result<()> {
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

/// Deletes a poll with all its votes. Does nothing if the poll is gone.
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
