//! Names of deleted local accounts. Old links, mentions and remote servers still refer to the
//! account that had the name, so no other account may get it.

use diesel::{dsl::exists, prelude::*};
use siskin_ids::AccountId;

use crate::{
    Conn, Result, Tx,
    conn::each,
    schema::{accounts, retired_names},
    tombstones::{self, NewTombstone},
};

/// Retires the name of an account that is about to be deleted, and records that its address is
/// gone. Does nothing for remote accounts, and for accounts that were never confirmed and approved:
/// those were never visible.
pub(super) fn retire(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    let found: Option<(String, String, bool)> = accounts::table
        .find(account)
        .filter(accounts::domain.is_null())
        .filter(accounts::reachable.eq(true))
        .select((accounts::username_key, accounts::uri, accounts::bot))
        .first(&mut **tx)
        .optional()?;
    let Some((name, uri, is_bot)) = found else { return Ok(()) };
    let former_type = if is_bot { "Service" } else { "Person" };
    tombstones::insert(tx, &[NewTombstone { uri: &uri, former_type }])?;
    let row =
        (retired_names::username_key.eq(name), retired_names::retired_at.eq(tx.now().unix_ms()));
    each!(&mut **tx, conn => diesel::insert_into(retired_names::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok(())
}

/// Returns `true` if a deleted account had this folded name.
pub fn is_retired(conn: &mut Conn, username_key: &str) -> Result<bool> {
    Ok(diesel::select(exists(retired_names::table.find(username_key))).get_result(conn)?)
}

/// Deletes a folded name from the retired names, so that accounts can use it again. Returns `false`
/// if it was not retired.
pub fn release(tx: &mut Tx<'_>, username_key: &str) -> Result<bool> {
    let released = diesel::delete(retired_names::table.find(username_key)).execute(&mut **tx)?;
    Ok(released == 1)
}
