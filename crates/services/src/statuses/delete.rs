//! Deletion of an account's own statuses.

use siskin_entities::Status;
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Tx, notifications,
    statuses::{self as rows},
};

use super::{load_one, reblog::reblogged};
use crate::{Error, Result, attachments};

/// Deletes a status or a reblog of this account, and returns it as its author last saw it. Omits
/// the reblogged status if it is no longer visible to the author. Keeps the attachments for a
/// redraft, unless `and_media` is true.
///
/// # Errors
/// [`Error::NotFound`] for a status that does not exist, or belongs to another account.
pub fn delete(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: StatusId,
    and_media: bool,
) -> Result<Status> {
    let mut status = load_one(tx, id, account)?;
    if status.body.account.id != account {
        return Err(Error::NotFound);
    }
    let is_whole = !rows::visible_ids(tx, &[id], Some(account))?.is_empty();
    remove(tx, account, id)?;
    if and_media && status.reblog.is_none() {
        let media = &status.body.attachments;
        media.iter().try_for_each(|media| attachments::delete(tx, account, media.id))?;
    }
    if !is_whole {
        status.reblog = None;
    }
    Ok(status)
}

/// Deletes a status of this account. For a reblog, also withdraws its notification.
pub(super) fn remove(tx: &mut Tx<'_>, account: AccountId, id: StatusId) -> Result<()> {
    let target = rows::locate(tx, id)?.ok_or(Error::NotFound)?;
    if !rows::remove(tx, id)? {
        return Err(Error::NotFound);
    }
    if target.id != id {
        notifications::withdraw(tx, reblogged(account, target.id), target.account)?;
    }
    Ok(())
}
