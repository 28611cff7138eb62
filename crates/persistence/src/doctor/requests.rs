//! Finds filtered notifications that belong to no request. Their recipients would never find them.

use diesel::{QueryableByName, RunQueryDsl as _, sql_query, sql_types::BigInt};
use siskin_ids::AccountId;

use crate::{Conn, Result, Tx, conn::each, notifications};

/// Maximum number of requests inserted per transaction, because a transaction blocks all other
/// writes.
const INSERTED_AT_ONCE: usize = 100;

/// Two accounts with filtered notifications, but without a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, QueryableByName)]
pub struct MissingRequest {
    /// Account to which the notifications belong.
    #[diesel(sql_type = BigInt)]
    pub recipient: AccountId,
    /// Account that caused them.
    #[diesel(sql_type = BigInt)]
    pub sender: AccountId,
}

/// Returns the requests that filtered notifications lack.
///
/// # Errors
/// Storage errors.
pub fn missing_requests(conn: &mut Conn) -> Result<Vec<MissingRequest>> {
    let query = sql_query(
        "SELECT DISTINCT account_id AS recipient, from_account_id AS sender FROM notifications
         WHERE filtered AND NOT EXISTS (
             SELECT 1 FROM notification_requests AS requests
             WHERE requests.account_id = notifications.account_id
             AND requests.from_account_id = notifications.from_account_id)
         ORDER BY recipient, sender",
    );
    Ok(each!(conn, conn => query.load(conn))?)
}

/// Splits the requests into the batches that [`insert_requests`] takes.
pub fn request_batches(requests: &[MissingRequest]) -> impl Iterator<Item = &[MissingRequest]> {
    requests.chunks(INSERTED_AT_ONCE)
}

/// Inserts the requests of one batch, so that recipients can accept or dismiss the notifications.
///
/// # Errors
/// Storage errors.
pub fn insert_requests(tx: &mut Tx<'_>, batch: &[MissingRequest]) -> Result<()> {
    batch.iter().try_for_each(|one| notifications::add_requests(tx, one.sender, &[one.recipient]))
}
