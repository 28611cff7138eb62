//! Keys under which clients may send the same status again without publishing or scheduling it
//! twice. No two rows of any tables have one id, so that an id alone tells what a key stands for.

use std::time::Duration;

use diesel::prelude::*;
use siskin_ids::{AccountId, ScheduledStatusId, StatusId};

use crate::{Result, Tx, conn::each, schema::idempotency_keys};

/// Lets `key` of this account stand for the status or scheduled status with this id for as long as
/// `kept`. Returns None, or the id that it stands for already. Of two transactions with one key the second waits for the
/// first.
pub fn claim(
    tx: &mut Tx<'_>,
    account: AccountId,
    key: &str,
    id: i64,
    kept: Duration,
) -> Result<Option<i64>> {
    let now = tx.now();
    diesel::delete(idempotency_keys::table)
        .filter(idempotency_keys::account_id.eq(account))
        .filter(idempotency_keys::created_at.le(now.before(kept).unix_ms()))
        .execute(&mut **tx)?;
    let row = (
        idempotency_keys::account_id.eq(account),
        idempotency_keys::key.eq(key),
        idempotency_keys::status_id.eq(id),
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

/// Lets the key that stands for a scheduled status stand for the status that it became, if there
/// is one.
pub fn pass_on(
    tx: &mut Tx<'_>,
    account: AccountId,
    from: ScheduledStatusId,
    to: StatusId,
) -> Result<()> {
    diesel::update(idempotency_keys::table)
        .filter(idempotency_keys::account_id.eq(account))
        .filter(idempotency_keys::status_id.eq(from.get()))
        .set(idempotency_keys::status_id.eq(to.get()))
        .execute(&mut **tx)?;
    Ok(())
}
