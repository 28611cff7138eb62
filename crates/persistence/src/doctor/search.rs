//! Compares the index of the full-text search with the statuses.

use siskin_ids::StatusId;

use crate::{Conn, Result, Tx, search};

/// Maximum number of statuses indexed per transaction, because a transaction blocks all other
/// writes.
const INDEXED_AT_ONCE: usize = 100;

/// Returns the statuses that the index lacks, and those that it contains although they are gone.
/// Does not compare the terms: that would read every text.
///
/// # Errors
/// Storage errors.
pub fn wrongly_indexed(conn: &mut Conn) -> Result<Vec<StatusId>> {
    let mut wrong = search::unindexed(conn)?;
    wrong.extend(search::orphaned(conn)?);
    Ok(wrong)
}

/// Splits the statuses into the batches that [`index_statuses`] takes.
pub fn status_batches(statuses: &[StatusId]) -> impl Iterator<Item = &[StatusId]> {
    statuses.chunks(INDEXED_AT_ONCE)
}

/// Indexes the statuses of one batch as they are now.
///
/// # Errors
/// Storage errors.
pub fn index_statuses(tx: &mut Tx<'_>, batch: &[StatusId]) -> Result<()> {
    search::index(tx, batch)
}
