//! Compares the search index with the names from which it is built.

use diesel::prelude::*;
use siskin_ids::AccountId;

use crate::{Conn, Result, Tx, accounts as rows, schema::accounts};

/// Number of accounts that one statement compares.
const AT_ONCE: i64 = 1000;
/// Maximum number of accounts indexed per transaction, because a transaction blocks all other
/// writes.
const INDEXED_AT_ONCE: usize = 50;

/// Returns the accounts with search terms that do not match their present names.
///
/// # Errors
/// Storage errors.
pub fn misindexed(conn: &mut Conn) -> Result<Vec<AccountId>> {
    let (mut wrong, mut after) = (Vec::new(), AccountId::new(i64::MIN));
    loop {
        let ids: Vec<AccountId> = accounts::table
            .filter(accounts::id.gt(after))
            .order(accounts::id)
            .limit(AT_ONCE)
            .select(accounts::id)
            .load(conn)?;
        let (Some(first), Some(last)) = (ids.first(), ids.last()) else { return Ok(wrong) };
        wrong.extend(rows::misindexed(conn, *first, *last)?);
        after = *last;
    }
}

/// Splits the accounts into the batches that [`index`] takes.
pub fn index_batches(accounts: &[AccountId]) -> impl Iterator<Item = &[AccountId]> {
    accounts.chunks(INDEXED_AT_ONCE)
}

/// Rebuilds the search terms of the accounts of one batch from their present names.
///
/// # Errors
/// Storage errors.
pub fn index(tx: &mut Tx<'_>, batch: &[AccountId]) -> Result<()> {
    rows::lock(tx, batch)?;
    batch.iter().try_for_each(|account| rows::index(tx, *account))
}
