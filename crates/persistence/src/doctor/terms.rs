//! The index of search against the names that it is made of.

use diesel::prelude::*;
use siskin_ids::AccountId;

use crate::{Conn, Result, Tx, accounts as rows, schema::accounts};

/// How many accounts are compared in one statement.
const AT_ONCE: i64 = 1000;
/// How many accounts are indexed anew in one transaction: nothing else is written meanwhile.
const INDEXED_AT_ONCE: usize = 50;

/// The accounts that search does not find by what their names are now.
///
/// # Errors
/// Those of storage.
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

/// The accounts in the batches in which [`index`] takes them.
pub fn index_batches(accounts: &[AccountId]) -> impl Iterator<Item = &[AccountId]> {
    accounts.chunks(INDEXED_AT_ONCE)
}

/// Indexes the accounts of one batch anew, by the names that they have now.
///
/// # Errors
/// Those of storage.
pub fn index(tx: &mut Tx<'_>, batch: &[AccountId]) -> Result<()> {
    rows::lock(tx, batch)?;
    batch.iter().try_for_each(|account| rows::index(tx, *account))
}
