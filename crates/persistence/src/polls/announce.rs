//! The end of a poll, and its announcements.

use std::collections::HashSet;

use diesel::prelude::*;
use siskin_ids::{AccountId, PollId};

use crate::{
    Conn, Result, Tx,
    conn::each,
    schema::{poll_announcements, poll_votes, polls, users},
};

/// Closes a locked poll. From now on it accepts no vote, even if the clock of another process is
/// behind.
pub fn close(tx: &mut Tx<'_>, id: PollId) -> Result<()> {
    let open = polls::table.find(id).filter(polls::closed_at.is_null());
    let now = tx.now().unix_ms();
    diesel::update(open).set(polls::closed_at.eq(now)).execute(&mut **tx)?;
    Ok(())
}

/// Returns local accounts that voted in a poll, ordered by id: at most `limit`, after `after`.
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

/// Records that these accounts get an announcement of a poll's end. Returns those that have not had
/// one before, in the order of `accounts`. Accepts at most a thousand accounts.
pub fn record_announcements(
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
