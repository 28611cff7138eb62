//! The end of a poll, and who was told of it.

use std::collections::HashSet;

use diesel::prelude::*;
use siskin_ids::{AccountId, PollId};

use crate::{
    Conn, Result, Tx,
    conn::each,
    schema::{poll_announcements, poll_votes, polls, users},
};

/// Ends a locked poll: nobody votes in it any more, whatever the time is elsewhere.
pub fn close(tx: &mut Tx<'_>, id: PollId) -> Result<()> {
    let open = polls::table.find(id).filter(polls::closed_at.is_null());
    let now = tx.now().unix_ms();
    diesel::update(open).set(polls::closed_at.eq(now)).execute(&mut **tx)?;
    Ok(())
}

/// People of this server who voted in a poll, in the order of their ids: at most `limit`, those
/// after `after`.
pub fn voters(
    conn: &mut Conn,
    id: PollId,
    after: Option<AccountId>,
    limit: i64,
) -> Result<Vec<AccountId>> {
    Ok(poll_votes::table
        .inner_join(users::table.on(users::account_id.eq(poll_votes::account_id)))
        .filter(poll_votes::poll_id.eq(id))
        .filter(poll_votes::account_id.gt(after.unwrap_or(AccountId::new(0))))
        .distinct()
        .order(poll_votes::account_id)
        .limit(limit)
        .select(poll_votes::account_id)
        .load(conn)?)
}

/// Notes that these people are told of the end of a poll, and returns those who never were before,
/// in the order in which they are named. At most a thousand.
pub fn announced_now(
    tx: &mut Tx<'_>,
    id: PollId,
    accounts: &[AccountId],
) -> Result<Vec<AccountId>> {
    let now = tx.now().unix_ms();
    let row = |account: &AccountId| {
        (
            poll_announcements::poll_id.eq(id),
            poll_announcements::account_id.eq(*account),
            poll_announcements::created_at.eq(now),
        )
    };
    let rows: Vec<_> = accounts.iter().map(row).collect();
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let new: Vec<AccountId> = each!(&mut **tx, conn => diesel::insert_into(poll_announcements::table)
        .values(rows)
        .on_conflict_do_nothing()
        .returning(poll_announcements::account_id)
        .get_results(conn))?;
    let new: HashSet<AccountId> = new.into_iter().collect();
    Ok(accounts.iter().copied().filter(|account| new.contains(account)).collect())
}
