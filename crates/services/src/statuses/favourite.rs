//! Favourites and bookmarks. Each can be repeated and undone as often as one likes; where a
//! reblog is named, what it reblogs is meant.

use siskin_entities::{NotificationKind, Status};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Tx, notifications,
    notifications::NewNotification,
    statuses::{self as rows, Target, bookmarks, favourites},
};

use super::{load_one, take_target};
use crate::{Error, Result};

/// Favourites a status, tells its author and returns it.
///
/// # Errors
/// [`Error::NotFound`] where the account cannot see the status; [`Error::Forbidden`] where it
/// blocks the author.
pub fn favourite(tx: &mut Tx<'_>, account: AccountId, id: StatusId) -> Result<Status> {
    let target = take_target(tx, id, account)?;
    if favourites::add(tx, account, target.id)? {
        notifications::create(tx, &[favourited(account, &target)])?;
    }
    load_one(tx, target.id, account)
}

/// Takes a favourite back and returns the status; None where the account cannot see that any
/// more, and the favourite is taken back all the same.
///
/// # Errors
/// [`Error::NotFound`] where the status is gone.
pub fn unfavourite(tx: &mut Tx<'_>, account: AccountId, id: StatusId) -> Result<Option<Status>> {
    let target = rows::locate(tx, id)?.ok_or(Error::NotFound)?;
    if favourites::remove(tx, account, target.id)? {
        notifications::withdraw(tx, favourited(account, &target))?;
    }
    Ok(rows::find_visible(tx, target.id, Some(account))?)
}

fn favourited(account: AccountId, target: &Target) -> NewNotification {
    NewNotification {
        recipient: target.account,
        from: account,
        kind: NotificationKind::Favourite,
        status: Some(target.id),
    }
}

/// Bookmarks a status and returns it.
///
/// # Errors
/// [`Error::NotFound`] where the account cannot see the status.
pub fn bookmark(tx: &mut Tx<'_>, account: AccountId, id: StatusId) -> Result<Status> {
    let target = rows::find_target(tx, id, Some(account))?.ok_or(Error::NotFound)?;
    if !rows::hold(tx, target.id)? {
        return Err(Error::NotFound);
    }
    bookmarks::add(tx, account, target.id)?;
    load_one(tx, target.id, account)
}

/// Takes a bookmark back and returns the status; None where the account cannot see that any more,
/// and the bookmark is taken back all the same.
///
/// # Errors
/// [`Error::NotFound`] where the status is gone.
pub fn unbookmark(tx: &mut Tx<'_>, account: AccountId, id: StatusId) -> Result<Option<Status>> {
    let target = rows::locate(tx, id)?.ok_or(Error::NotFound)?;
    bookmarks::remove(tx, account, target.id)?;
    Ok(rows::find_visible(tx, target.id, Some(account))?)
}
