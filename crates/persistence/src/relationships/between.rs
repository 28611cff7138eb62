//! Checks for blocks and domain blocks between accounts.

use diesel::prelude::*;
use siskin_ids::AccountId;

use crate::{Conn, Result, among::IdExpression as _, schema::accounts, statuses::avoids};

/// Returns `true` if `from` blocks `target` or its domain.
pub fn avoids(conn: &mut Conn, from: AccountId, target: AccountId) -> Result<bool> {
    Ok(diesel::select(avoids!(from, account: target)).get_result(conn)?)
}

/// Returns `true` if one of the two accounts blocks the other or its domain.
pub fn avoid_each_other(conn: &mut Conn, one: AccountId, other: AccountId) -> Result<bool> {
    let there = avoids!(one, account: other);
    let back = avoids!(other, account: one);
    Ok(diesel::select(there.or(back)).get_result(conn)?)
}

/// Returns those of the accounts `ids` that block `target` or its domain, in no particular order.
pub fn avoiding(conn: &mut Conn, ids: &[AccountId], target: AccountId) -> Result<Vec<AccountId>> {
    Ok(accounts::table
        .filter(accounts::id.among(ids))
        .filter(avoids!(accounts::id, account: target))
        .select(accounts::id)
        .load(conn)?)
}
