//! Jobs that write the index of the full-text search. New statuses and edits write it themselves.

use serde::{Deserialize, Serialize};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Tx, jobs as job_rows,
    search::{End, index_before, is_indexed},
};

use crate::{
    Result,
    jobs::{self, Job},
};

/// All ids are lower.
const ALL: StatusId = StatusId::new(i64::MAX);

/// Job that indexes the statuses that existed before the index: after an upgrade, and after a
/// backup was restored. The newest statuses come first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexStatuses {
    /// The statuses with lower ids are to be indexed.
    pub before: StatusId,
}

impl Job for IndexStatuses {
    const KIND: &'static str = "search.index_statuses";
}

/// Job that indexes the statuses of an author again, after the author allowed everyone to find
/// them or forbade it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexAuthor {
    pub account: AccountId,
    /// The statuses with lower ids are to be indexed.
    pub before: StatusId,
}

impl Job for IndexAuthor {
    const KIND: &'static str = "search.index_author";
}

/// Enqueues [`IndexStatuses`] if statuses are not indexed. Called at each start of a server. A
/// restored backup may contain a job that has passed the newest statuses already, but no index.
///
/// # Errors
/// Storage errors only.
pub fn ensure_indexed(tx: &mut Tx<'_>) -> Result<()> {
    if is_indexed(tx, End::Oldest)? {
        return Ok(());
    }
    let queued = job_rows::payloads(tx, IndexStatuses::KIND)?;
    let queued: Vec<IndexStatuses> =
        queued.iter().map(|payload| jobs::read(payload)).collect::<Result<_>>()?;
    let begins_with_the_newest = queued.iter().any(|job| job.before == ALL);
    if begins_with_the_newest || !queued.is_empty() && is_indexed(tx, End::Newest)? {
        return Ok(());
    }
    jobs::enqueue(tx, &IndexStatuses { before: ALL })?;
    Ok(())
}

/// Runs one step of [`IndexStatuses`], and enqueues another job for the rest.
///
/// # Errors
/// Storage errors only.
pub fn index_some(tx: &mut Tx<'_>, job: &IndexStatuses) -> Result<()> {
    if let Some(before) = index_before(tx, None, job.before)? {
        jobs::enqueue(tx, &IndexStatuses { before })?;
    }
    Ok(())
}

/// Enqueues [`IndexAuthor`] for all statuses of an author.
pub(crate) fn enqueue_author(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    jobs::enqueue(tx, &IndexAuthor { account, before: ALL })?;
    Ok(())
}

/// Runs one step of [`IndexAuthor`], and enqueues another job for the rest.
///
/// # Errors
/// Storage errors only.
pub fn index_author(tx: &mut Tx<'_>, job: &IndexAuthor) -> Result<()> {
    let account = job.account;
    if let Some(before) = index_before(tx, Some(account), job.before)? {
        jobs::enqueue(tx, &IndexAuthor { account, before })?;
    }
    Ok(())
}
