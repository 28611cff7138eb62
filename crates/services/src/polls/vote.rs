//! Votes in polls.

use siskin_entities::{Poll, polls::Ballot};
use siskin_ids::{AccountId, PollId};
use siskin_persistence::{Tx, polls as rows};

use crate::{Error, Result, statuses::take_target};

/// Votes in a poll for the options at these positions, as sent by the client. Returns the poll with
/// the vote counted.
///
/// # Errors
/// [`Error::NotFound`] if the status of the poll is hidden from the account; [`Error::Forbidden`]
/// if the account blocks the author; [`Error::Invalid`] if it cannot vote like this: see `Refusal`
/// in `siskin_entities::polls`.
pub fn vote(tx: &mut Tx<'_>, account: AccountId, id: PollId, choices: &[String]) -> Result<Poll> {
    let status = rows::find(tx, id)?.ok_or(Error::NotFound)?;
    take_target(tx, status, account)?;
    // The lock serialises simultaneous votes, so that each check sees the votes before it.
    if !rows::lock(tx, id)? {
        return Err(Error::NotFound);
    }
    let poll = rows::of_status(tx, status, Some(account))?.ok_or(Error::NotFound)?;
    let ballot = Ballot::cast(&poll, choices, tx.now()).map_err(Error::validation)?;
    rows::vote(tx, &poll, account, &ballot)?;
    Ok(poll.counting(&ballot))
}
