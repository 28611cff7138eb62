//! Muted conversations. For a reblog, the operations apply to the conversation of the reblogged
//! status.

use siskin_entities::Status;
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Tx,
    statuses::{self as rows, muted_conversations},
};

use super::load_one;
use crate::{Error, Result};

/// Mutes the conversation of a status, which suppresses notifications about it. Returns the status.
///
/// # Errors
/// [`Error::NotFound`] if the status is hidden from the account.
pub fn mute(tx: &mut Tx<'_>, account: AccountId, id: StatusId) -> Result<Status> {
    let target = rows::find_target(tx, id, Some(account))?.ok_or(Error::NotFound)?;
    muted_conversations::add(tx, account, target.conversation)?;
    load_one(tx, target.id, account)
}

/// Unmutes the conversation of a status and returns the status. Returns `None` if the status is no
/// longer visible to the account; the conversation is unmuted in any case.
///
/// # Errors
/// [`Error::NotFound`] if the status does not exist.
pub fn unmute(tx: &mut Tx<'_>, account: AccountId, id: StatusId) -> Result<Option<Status>> {
    let target = rows::locate(tx, id)?.ok_or(Error::NotFound)?;
    muted_conversations::remove(tx, account, target.conversation)?;
    Ok(rows::find_visible(tx, target.id, Some(account))?)
}
