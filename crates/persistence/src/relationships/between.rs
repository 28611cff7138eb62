//! Checks for blocks and domain blocks between accounts.

use diesel::prelude::*;
use siskin_ids::AccountId;

use crate::{
    Conn, Result, equals_any::IdExpression as _, schema::accounts, statuses::blocks_account,
};

/// Returns `true` if `from` blocks `target` or its domain.
pub fn blocks_account(conn: &mut Conn, from: AccountId, target: AccountId) -> Result<bool> {
    Ok(diesel::select(blocks_account!(from, account: target)).get_result(conn)?)
}

/// Returns `true` if one of the two accounts blocks the other or its domain.
pub fn any_block_between(conn: &mut Conn, one: AccountId, other: AccountId) -> Result<bool> {
    let there = blocks_account!(one, account: other);
    let back = blocks_account!(other, account: one);
    Ok(diesel::select(there.or(back)).get_result(conn)?)
}

/// Returns those of the accounts `ids` that block `target` or its domain, in no particular order.
pub fn blocking_accounts(
    conn: &mut Conn,
    ids: &[AccountId],
    target: AccountId,
) -> Result<Vec<AccountId>> {
    Ok(accounts::table
        .filter(accounts::id.equals_any(ids))
        .filter(blocks_account!(accounts::id, account: target))
        .select(accounts::id)
        .load(conn)?)
}
