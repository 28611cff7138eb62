//! One-sided relationships: blocks, mutes, endorsements and notes. Each is one row or none.

use diesel::prelude::*;
use siskin_entities::{Timestamp, relationship::Mute};
use siskin_ids::{AccountId, BlockId, EndorsementId, MuteId};

use crate::{
    Conn, Result, Tx,
    conn::each,
    schema::{account_notes, blocks, endorsements, mutes},
    statuses,
};

pub(super) fn is_blocking(conn: &mut Conn, from: AccountId, to: AccountId) -> Result<bool> {
    let block =
        blocks::table.filter(blocks::account_id.eq(from)).filter(blocks::target_account_id.eq(to));
    Ok(diesel::select(diesel::dsl::exists(block)).get_result(conn)?)
}

pub(super) fn set_block(
    tx: &mut Tx<'_>,
    from: AccountId,
    to: AccountId,
    block: bool,
) -> Result<()> {
    if !block {
        let row = blocks::account_id.eq(from).and(blocks::target_account_id.eq(to));
        diesel::delete(blocks::table.filter(row)).execute(&mut **tx)?;
        return Ok(());
    }
    let row = (
        blocks::id.eq(BlockId::new(tx.next_id())),
        blocks::account_id.eq(from),
        blocks::target_account_id.eq(to),
        blocks::created_at.eq(tx.now().unix_ms()),
    );
    each!(&mut **tx, conn => diesel::insert_into(blocks::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok(())
}

/// Loads the mute in force at `now`.
pub(super) fn mute(
    conn: &mut Conn,
    from: AccountId,
    to: AccountId,
    now: Timestamp,
) -> Result<Option<Mute>> {
    let row: Option<(bool, Option<i64>)> = statuses::mute!(from, now, account: to)
        .select((mutes::hide_notifications, mutes::expires_at))
        .first(conn)
        .optional()?;
    Ok(row.map(|(notifications, until)| Mute {
        notifications,
        until: until.map(Timestamp::from_unix_ms),
    }))
}

/// Inserts, updates or deletes a mute. An updated mute keeps its position in the list of mutes. An
/// expired mute counts as none.
pub(super) fn set_mute(
    tx: &mut Tx<'_>,
    from: AccountId,
    to: AccountId,
    before: Option<Mute>,
    after: Option<Mute>,
) -> Result<()> {
    let row = mutes::account_id.eq(from).and(mutes::target_account_id.eq(to));
    if let (Some(_), Some(mute)) = (before, after) {
        diesel::update(mutes::table.filter(row))
            .set((
                mutes::hide_notifications.eq(mute.notifications),
                mutes::expires_at.eq(mute.until.map(Timestamp::unix_ms)),
            ))
            .execute(&mut **tx)?;
        return Ok(());
    }
    diesel::delete(mutes::table.filter(row)).execute(&mut **tx)?;
    let Some(mute) = after else { return Ok(()) };
    let row = (
        mutes::id.eq(MuteId::new(tx.next_id())),
        mutes::account_id.eq(from),
        mutes::target_account_id.eq(to),
        mutes::hide_notifications.eq(mute.notifications),
        mutes::expires_at.eq(mute.until.map(Timestamp::unix_ms)),
        mutes::created_at.eq(tx.now().unix_ms()),
    );
    each!(&mut **tx, conn => diesel::insert_into(mutes::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok(())
}

pub(super) fn is_endorsing(conn: &mut Conn, from: AccountId, to: AccountId) -> Result<bool> {
    let endorsement = endorsements::table
        .filter(endorsements::account_id.eq(from))
        .filter(endorsements::target_account_id.eq(to));
    Ok(diesel::select(diesel::dsl::exists(endorsement)).get_result(conn)?)
}

pub(super) fn set_endorsement(
    tx: &mut Tx<'_>,
    from: AccountId,
    to: AccountId,
    endorse: bool,
) -> Result<()> {
    if !endorse {
        let row = endorsements::account_id.eq(from).and(endorsements::target_account_id.eq(to));
        diesel::delete(endorsements::table.filter(row)).execute(&mut **tx)?;
        return Ok(());
    }
    let row = (
        endorsements::id.eq(EndorsementId::new(tx.next_id())),
        endorsements::account_id.eq(from),
        endorsements::target_account_id.eq(to),
        endorsements::created_at.eq(tx.now().unix_ms()),
    );
    each!(&mut **tx, conn => diesel::insert_into(endorsements::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok(())
}

pub(super) fn note(conn: &mut Conn, from: AccountId, to: AccountId) -> Result<String> {
    let note: Option<String> = account_notes::table
        .find((from, to))
        .select(account_notes::comment)
        .first(conn)
        .optional()?;
    Ok(note.unwrap_or_default())
}

pub(super) fn set_note(tx: &mut Tx<'_>, from: AccountId, to: AccountId, text: &str) -> Result<()> {
    diesel::delete(account_notes::table.find((from, to))).execute(&mut **tx)?;
    if text.is_empty() {
        return Ok(());
    }
    let row = (
        account_notes::account_id.eq(from),
        account_notes::target_account_id.eq(to),
        account_notes::comment.eq(text),
        account_notes::updated_at.eq(tx.now().unix_ms()),
    );
    diesel::insert_into(account_notes::table).values(row).execute(&mut **tx)?;
    Ok(())
}
