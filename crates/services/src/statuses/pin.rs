//! Pinned statuses, which come first on their author's profile.

use siskin_entities::Status;
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Tx, accounts,
    statuses::{self as rows, pins},
};
use siskin_policy::limits::MAX_PINNED_STATUSES;

use super::load_one;
use crate::{Error, Result};

/// Pins a status of this account and returns it.
///
/// # Errors
/// [`Error::NotFound`] if the status is hidden from the account; [`Error::Invalid`] for a status of
/// another account, a reblog, a direct status, one that is pinned already, and if the maximum
/// number is pinned.
pub fn pin(tx: &mut Tx<'_>, account: AccountId, id: StatusId) -> Result<Status> {
    let status = rows::find_visible(tx, id, Some(account))?.ok_or(Error::NotFound)?;
    require_pinnable(&status, account)?;
    if !rows::lock_against_deletion(tx, id)? {
        return Err(Error::NotFound);
    }
    // The lock serialises simultaneous requests, so that each counts the pins before it.
    accounts::lock(tx, &[account])?;
    if is_pinned(&load_one(tx, id, account)?) {
        return Err(Error::validation("You have already pinned this post"));
    }
    if pins::count(tx, account)? >= MAX_PINNED_STATUSES {
        return Err(Error::validation("You have already pinned the maximum number of posts"));
    }
    pins::add(tx, account, id)?;
    load_one(tx, id, account)
}

fn require_pinnable(status: &Status, account: AccountId) -> Result<()> {
    if status.body.account.id != account {
        return Err(Error::validation("Someone else's post cannot be pinned"));
    }
    if status.reblog.is_some() {
        return Err(Error::validation("A reblog cannot be pinned"));
    }
    if !status.body.visibility.can_be_pinned() {
        return Err(Error::validation(
            "Posts that are only visible to mentioned users cannot be pinned",
        ));
    }
    Ok(())
}

fn is_pinned(status: &Status) -> bool {
    status.body.viewer.as_ref().and_then(|viewer| viewer.pinned) == Some(true)
}

/// Unpins a status and returns it. Does nothing if it is not pinned.
///
/// # Errors
/// [`Error::NotFound`] if the status is hidden from the account.
pub fn unpin(tx: &mut Tx<'_>, account: AccountId, id: StatusId) -> Result<Status> {
    pins::remove(tx, account, id)?;
    rows::find_visible(tx, id, Some(account))?.ok_or(Error::NotFound)
}
