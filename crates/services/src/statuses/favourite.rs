//! Favourites and bookmarks. Both operations are idempotent. For a reblog they apply to the
//! reblogged status.

use siskin_entities::{NotificationKind, Status};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Tx,
    notifications::{Cause, withdraw},
    statuses::{self as rows, Target, bookmarks, favourites},
};

use super::{load_one, take_target};
use crate::{Error, Result, notifications};

/// Favourites a status, notifies its author and returns the status.
///
/// # Errors
/// [`Error::NotFound`] if the status is hidden from the account; [`Error::Forbidden`] if the
/// account blocks the author.
pub fn favourite(tx: &mut Tx<'_>, account: AccountId, id: StatusId) -> Result<Status> {
    let target = take_target(tx, id, account)?;
    if favourites::add(tx, account, target.id)? {
        notifications::create(tx, favourited(account, &target), &[target.account])?;
    }
    load_one(tx, target.id, account)
}

/// Removes a favourite and returns the status. Returns `None` if the status is no longer visible to
/// the account; the favourite is removed in any case.
///
/// # Errors
/// [`Error::NotFound`] if the status does not exist.
pub fn unfavourite(tx: &mut Tx<'_>, account: AccountId, id: StatusId) -> Result<Option<Status>> {
    let target = rows::locate(tx, id)?.ok_or(Error::NotFound)?;
    if favourites::remove(tx, account, target.id)? {
        withdraw(tx, favourited(account, &target), target.account)?;
    }
    Ok(rows::find_visible(tx, target.id, Some(account))?)
}

fn favourited(account: AccountId, target: &Target) -> Cause {
    Cause::new(account, NotificationKind::Favourite, Some(target.id))
}

/// Bookmarks a status and returns it.
///
/// # Errors
/// [`Error::NotFound`] if the status is hidden from the account.
pub fn bookmark(tx: &mut Tx<'_>, account: AccountId, id: StatusId) -> Result<Status> {
    let target = rows::find_target(tx, id, Some(account))?.ok_or(Error::NotFound)?;
    if !rows::lock_against_deletion(tx, target.id)? {
        return Err(Error::NotFound);
    }
    bookmarks::add(tx, account, target.id)?;
    load_one(tx, target.id, account)
}

/// Removes a bookmark and returns the status. Returns `None` if the status is no longer visible to
/// the account; the bookmark is removed in any case.
///
/// # Errors
/// [`Error::NotFound`] if the status does not exist.
pub fn unbookmark(tx: &mut Tx<'_>, account: AccountId, id: StatusId) -> Result<Option<Status>> {
    let target = rows::locate(tx, id)?.ok_or(Error::NotFound)?;
    bookmarks::remove(tx, account, target.id)?;
    Ok(rows::find_visible(tx, target.id, Some(account))?)
}
