//! Whether accounts keep away from each other: by blocks of accounts and of servers.

use diesel::prelude::*;
use siskin_ids::AccountId;

use crate::{Conn, Result, among::IdExpression as _, schema::accounts, statuses::avoids};

/// Whether `from` has blocked `target`, or the server that it is of.
pub fn avoids(conn: &mut Conn, from: AccountId, target: AccountId) -> Result<bool> {
    Ok(diesel::select(avoids!(from, account: target)).get_result(conn)?)
}

/// Whether one of the two has blocked the other, or the server that it is of.
pub fn avoid_each_other(conn: &mut Conn, one: AccountId, other: AccountId) -> Result<bool> {
    let there = avoids!(one, account: other);
    let back = avoids!(other, account: one);
    Ok(diesel::select(there.or(back)).get_result(conn)?)
}

/// Those of the accounts `ids` that have blocked `target`, or the server that it is of, in no order.
pub fn avoiding(conn: &mut Conn, ids: &[AccountId], target: AccountId) -> Result<Vec<AccountId>> {
    Ok(accounts::table
        .filter(accounts::id.among(ids))
        .filter(avoids!(accounts::id, account: target))
        .select(accounts::id)
        .load(conn)?)
}
