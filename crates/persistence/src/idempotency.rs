//! Keys under which clients may send the same status again without publishing it twice.

use std::time::Duration;

use diesel::prelude::*;
use siskin_ids::{AccountId, StatusId};

use crate::{Result, Tx, conn::each, schema::idempotency_keys};

/// Lets `key` of this account stand for `status` for as long as `kept`. Returns None, or the
/// status that it stands for already. Of two transactions with one key the second waits for the
/// first.
pub fn claim(
    tx: &mut Tx<'_>,
    account: AccountId,
    key: &str,
    status: StatusId,
    kept: Duration,
) -> Result<Option<StatusId>> {
    let now = tx.now();
    diesel::delete(idempotency_keys::table)
        .filter(idempotency_keys::account_id.eq(account))
        .filter(idempotency_keys::created_at.le(now.before(kept).unix_ms()))
        .execute(&mut **tx)?;
    let row = (
        idempotency_keys::account_id.eq(account),
        idempotency_keys::key.eq(key),
        idempotency_keys::status_id.eq(status),
        idempotency_keys::created_at.eq(now.unix_ms()),
    );
    let claimed = each!(&mut **tx, conn => diesel::insert_into(idempotency_keys::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    if claimed == 1 {
        return Ok(None);
    }
    let of_key = idempotency_keys::table
        .filter(idempotency_keys::account_id.eq(account))
        .filter(idempotency_keys::key.eq(key));
    Ok(Some(of_key.select(idempotency_keys::status_id).first(&mut **tx)?))
}

/// Removes the keys that stand for nothing any more; returns how many went.
pub fn sweep(tx: &mut Tx<'_>, kept: Duration) -> Result<usize> {
    let old = idempotency_keys::created_at.le(tx.now().before(kept).unix_ms());
    Ok(diesel::delete(idempotency_keys::table.filter(old)).execute(&mut **tx)?)
}
