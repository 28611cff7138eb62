//! Idempotency keys: a client may send the same status again without publishing or scheduling it
//! twice. Ids are unique across all tables, so an id alone identifies the status or scheduled
//! status of a key.

use std::time::Duration;

use diesel::prelude::*;
use siskin_ids::{AccountId, ScheduledStatusId, StatusId};

use crate::{Result, Tx, conn::each, schema::idempotency_keys};

/// Assigns `key` of this account to the status or scheduled status with this id for the time of
/// `lifetime`. Returns `None`, or the id to which the key is assigned already. Of two transactions
/// with the same key, the second waits for the first.
pub fn claim(
    tx: &mut Tx<'_>,
    account: AccountId,
    key: &str,
    id: i64,
    lifetime: Duration,
) -> Result<Option<i64>> {
    let now = tx.now();
    diesel::delete(idempotency_keys::table)
        .filter(idempotency_keys::account_id.eq(account))
        .filter(idempotency_keys::created_at.le(now.before(lifetime).unix_ms()))
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

/// Reassigns the key of a scheduled status, if there is one, to the published status.
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
