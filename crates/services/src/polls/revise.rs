//! Changes of a poll by an edit of its status.

use siskin_entities::polls::Definition;
use siskin_ids::StatusId;
use siskin_persistence::{Tx, polls as rows};

use super::{enqueue_end, open};
use crate::Result;

/// Result of an edit for the poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revised {
    /// There was none before.
    Created,
    /// The question is the same, and the votes stay.
    Unchanged,
    /// The question is different, and there are no votes yet.
    Replaced,
}

/// Gives a status this poll. The caller must
/// [lock](siskin_persistence::statuses::lock_against_deletion) the status, so that it cannot be
/// deleted meanwhile. If the status already has a poll with the same options in the same order and
/// the same choice mode, the votes stay. Otherwise they are deleted. The time until the end starts
/// again. A poll that has ended stays ended unless its options or choice mode change. The poll
/// keeps its id.
///
/// # Errors
/// Storage errors only.
pub fn revise(tx: &mut Tx<'_>, status: StatusId, definition: &Definition) -> Result<Revised> {
    let Some(id) = rows::of_status(tx, status, None)?.map(|poll| poll.id) else {
        open(tx, status, definition)?;
        return Ok(Revised::Created);
    };
    rows::lock(tx, id)?;
    // Read again, because the poll cannot change any more after the lock.
    let Some(poll) = rows::of_status(tx, status, None)? else {
        open(tx, status, definition)?;
        return Ok(Revised::Created);
    };
    if definition.resets(&poll) {
        rows::replace(tx, poll.id, definition)?;
        enqueue_end(tx, poll.id, definition)?;
        return Ok(Revised::Replaced);
    }
    if !poll.is_over(tx.now()) {
        rows::update_settings(tx, poll.id, definition)?;
        enqueue_end(tx, poll.id, definition)?;
    }
    Ok(Revised::Unchanged)
}

/// Deletes the poll of a status with its votes. Does nothing if there is none. The caller must
/// [lock](siskin_persistence::statuses::lock_against_deletion) the status, so that it cannot be
/// deleted meanwhile.
///
/// # Errors
/// Storage errors only.
pub fn remove(tx: &mut Tx<'_>, status: StatusId) -> Result<()> {
    if let Some(poll) = rows::of_status(tx, status, None)? {
        rows::lock(tx, poll.id)?;
        rows::remove(tx, poll.id)?;
    }
    Ok(())
}
