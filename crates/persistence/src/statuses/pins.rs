//! Statuses that their authors show first on their profiles.

use diesel::{dsl::max, prelude::*};
use siskin_ids::{AccountId, StatusId};

use crate::{Conn, Result, Tx, schema::status_pins};

/// How many statuses an account has pinned; those that are gone do not count.
pub fn count(conn: &mut Conn, account: AccountId) -> Result<usize> {
    let pins: i64 =
        status_pins::table.filter(status_pins::account_id.eq(account)).count().get_result(conn)?;
    Ok(usize::try_from(pins).unwrap_or(usize::MAX))
}

/// Returns what an account has pinned, the last pinned first.
pub(super) fn of_account(conn: &mut Conn, account: AccountId) -> Result<Vec<StatusId>> {
    Ok(status_pins::table
        .filter(status_pins::account_id.eq(account))
        .order((status_pins::created_at.desc(), status_pins::status_id.desc()))
        .select(status_pins::status_id)
        .load(conn)?)
}

/// Pins a status that the caller [holds](super::hold), and knows not to be pinned yet. The caller
/// holds the account, too. No two pins of an account have the same time: it is their order.
pub fn add(tx: &mut Tx<'_>, account: AccountId, status: StatusId) -> Result<()> {
    let last: Option<i64> = status_pins::table
        .filter(status_pins::account_id.eq(account))
        .select(max(status_pins::created_at))
        .first(&mut **tx)?;
    let now = last.map_or(tx.now().unix_ms(), |last| tx.now().unix_ms().max(last + 1));
    let row = (
        status_pins::account_id.eq(account),
        status_pins::status_id.eq(status),
        status_pins::created_at.eq(now),
    );
    diesel::insert_into(status_pins::table).values(row).execute(&mut **tx)?;
    Ok(())
}

/// Unpins a status; false where it was not pinned.
pub fn remove(tx: &mut Tx<'_>, account: AccountId, status: StatusId) -> Result<bool> {
    let removed = diesel::delete(status_pins::table)
        .filter(status_pins::account_id.eq(account))
        .filter(status_pins::status_id.eq(status))
        .execute(&mut **tx)?;
    Ok(removed == 1)
}
