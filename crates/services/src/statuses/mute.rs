//! Conversations that somebody wants to hear of no more. Where a reblog is named, the conversation
//! of what it reblogs is meant.

use siskin_entities::Status;
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Tx,
    statuses::{self as rows, muted_conversations},
};

use super::load_one;
use crate::{Error, Result};

/// Mutes the conversation that a status is part of: the account is told of nothing that happens
/// in it. Returns the status.
///
/// # Errors
/// [`Error::NotFound`] where the account cannot see the status.
pub fn mute(tx: &mut Tx<'_>, account: AccountId, id: StatusId) -> Result<Status> {
    let target = rows::find_target(tx, id, Some(account))?.ok_or(Error::NotFound)?;
    muted_conversations::add(tx, account, target.conversation)?;
    load_one(tx, target.id, account)
}

/// Ends what [`mute`] did and returns the status; None where the account cannot see that any more,
/// and the conversation is unmuted all the same.
///
/// # Errors
/// [`Error::NotFound`] where the status is gone.
pub fn unmute(tx: &mut Tx<'_>, account: AccountId, id: StatusId) -> Result<Option<Status>> {
    let target = rows::locate(tx, id)?.ok_or(Error::NotFound)?;
    muted_conversations::remove(tx, account, target.conversation)?;
    Ok(rows::find_visible(tx, target.id, Some(account))?)
}
