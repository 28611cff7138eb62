//! What an edit of a status does to its poll.

use siskin_entities::polls::Definition;
use siskin_ids::StatusId;
use siskin_persistence::{Tx, polls as rows};

use super::{end_later, open};
use crate::Result;

/// What became of a poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revised {
    /// There was none before.
    Made,
    /// It asks the same as before, and has its votes.
    Kept,
    /// It asks something else, and nobody has voted yet.
    Replaced,
}

/// Gives a status, which the caller [holds](siskin_persistence::statuses::hold), this poll. Where it
/// has one that asks the same (the same options in the same order, one or several of them), the
/// votes stay; else they are gone. The time until its end begins anew, but a poll that is over stays
/// so unless it asks something else. It keeps its id.
///
/// # Errors
/// Storage errors only.
pub fn revise(tx: &mut Tx<'_>, status: StatusId, definition: &Definition) -> Result<Revised> {
    let Some(id) = rows::of_status(tx, status, None)?.map(|poll| poll.id) else {
        open(tx, status, definition)?;
        return Ok(Revised::Made);
    };
    rows::lock(tx, id)?;
    // As it is now that nobody else changes it.
    let Some(poll) = rows::of_status(tx, status, None)? else {
        open(tx, status, definition)?;
        return Ok(Revised::Made);
    };
    if definition.resets(&poll) {
        rows::replace(tx, poll.id, definition)?;
        end_later(tx, poll.id, definition)?;
        return Ok(Revised::Replaced);
    }
    if !poll.is_over(tx.now()) {
        rows::keep(tx, poll.id, definition)?;
        end_later(tx, poll.id, definition)?;
    }
    Ok(Revised::Kept)
}

/// Removes the poll of a status, with its votes. Does nothing if there is none. The caller
/// [holds](siskin_persistence::statuses::hold) the status.
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
