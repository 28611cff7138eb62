//! Statuses that authors pinned to their profiles.

use diesel::{dsl::max, prelude::*};
use siskin_ids::{AccountId, StatusId};

use crate::{Conn, Result, Tx, schema::status_pins};

/// Counts the pinned statuses of an account. Deleted statuses do not count.
pub fn count(conn: &mut Conn, account: AccountId) -> Result<usize> {
    let pins: i64 =
        status_pins::table.filter(status_pins::account_id.eq(account)).count().get_result(conn)?;
    Ok(usize::try_from(pins).unwrap_or(usize::MAX))
}

/// Returns the pinned statuses of an account, the last pinned first.
pub(super) fn of_account(conn: &mut Conn, account: AccountId) -> Result<Vec<StatusId>> {
    Ok(status_pins::table
        .filter(status_pins::account_id.eq(account))
        .order((status_pins::created_at.desc(), status_pins::status_id.desc()))
        .select(status_pins::status_id)
        .load(conn)?)
}

/// Pins a status that is not pinned yet. The caller [locked](super::lock_against_deletion) the
/// status, and the account too. The times of an account's pins are unique, because they define the
/// order.
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

/// Unpins a status. Returns `false` if it was not pinned.
pub fn remove(tx: &mut Tx<'_>, account: AccountId, status: StatusId) -> Result<bool> {
    let removed = diesel::delete(status_pins::table)
        .filter(status_pins::account_id.eq(account))
        .filter(status_pins::status_id.eq(status))
        .execute(&mut **tx)?;
    Ok(removed == 1)
}
