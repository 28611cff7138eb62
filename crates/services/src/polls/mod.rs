//! Polls: creation with their statuses, display, votes and end. A poll is visible to the viewers of
//! its status.

mod end;
mod revise;
mod vote;

use siskin_entities::{
    Poll,
    polls::{Definition, Limits, PollRequest},
};
use siskin_ids::{AccountId, PollId, StatusId};
use siskin_persistence::{Conn, Tx, polls as rows, statuses};

use crate::{Error, Instance, Result, about, jobs};

pub use end::{EndPoll, NOTIFY_BATCH, end};
pub use revise::{Revised, remove, revise};
pub use vote::vote;

/// Checks the parameters of a poll.
///
/// # Errors
/// [`Error::Invalid`] with the first error.
pub fn prepare(instance: &Instance, params: &PollRequest) -> Result<Definition> {
    let mut limits = Limits::from(&about::poll_limits());
    if instance.test_hooks {
        limits.shortest = SHORTEST_IN_TESTS;
    }
    Definition::check(params, &limits).map_err(Error::validation)
}

/// Minimum duration with test hooks, so that tests can wait for the end of a poll.
const SHORTEST_IN_TESTS: std::time::Duration = std::time::Duration::from_secs(1);

/// Creates a poll with a status that is being written.
pub(crate) fn open(tx: &mut Tx<'_>, status: StatusId, definition: &Definition) -> Result<()> {
    let poll = rows::insert(tx, status, definition)?;
    enqueue_end(tx, poll, definition)
}

/// Enqueues the job that ends a poll that opens now.
fn enqueue_end(tx: &mut Tx<'_>, poll: PollId, definition: &Definition) -> Result<()> {
    let end = definition.end(tx.now());
    jobs::enqueue_at(tx, &EndPoll { poll, after: None }, end)?;
    Ok(())
}

/// Returns a poll as `viewer` sees it.
///
/// # Errors
/// [`Error::NotFound`] if it does not exist, or its status is hidden from `viewer`.
pub fn find(conn: &mut Conn, viewer: Option<AccountId>, id: PollId) -> Result<Poll> {
    let status = rows::find(conn, id)?.ok_or(Error::NotFound)?;
    if statuses::visible_ids(conn, &[status], viewer)?.is_empty() {
        return Err(Error::NotFound);
    }
    rows::of_status(conn, status, viewer)?.ok_or(Error::NotFound)
}
