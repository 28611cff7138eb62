//! Deletion of an account's own statuses.

use serde::{Deserialize, Serialize};
use siskin_entities::Status;
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Conn, Tx, notifications,
    statuses::{self as rows, Removal, quotes as quote_rows},
};

use super::{load_one, reblog::reblogged};
use crate::{
    Error, Result, attachments,
    jobs::{self, Job},
};

/// Job that deletes the rest of a status with many reblogs, favourites or other dependent rows. The
/// status is hidden already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoveStatus {
    pub status: StatusId,
}

impl Job for RemoveStatus {
    const KIND: &'static str = "statuses.remove";
}

/// Runs one step of [`RemoveStatus`], and enqueues another job for the rest. Does nothing if the
/// status is gone.
///
/// # Errors
/// Storage errors only.
pub fn remove_step(tx: &mut Tx<'_>, job: &RemoveStatus) -> Result<()> {
    if !rows::remove_rest(tx, job.status)? {
        jobs::enqueue(tx, job)?;
    }
    Ok(())
}

/// Deletes a status or a reblog of this account, and returns it as its author last saw it. Omits
/// the reblogged status if it is no longer visible to the author. Includes the quoted status if the
/// author may see it, also if the quote was revoked, and keeps the attachments unless `and_media`
/// is true: a redraft names both again.
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
    add_quoted(tx, account, &mut status)?;
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

/// Puts the quoted status into a quote that does not show it, if this account may see it by itself.
fn add_quoted(conn: &mut Conn, account: AccountId, status: &mut Status) -> Result<()> {
    let id = status.body.id;
    let Some(quote) = status.body.quote.as_mut().filter(|quote| quote.status.is_none()) else {
        return Ok(());
    };
    if let Some(quoted) = quote_rows::quoted(conn, id)? {
        let visible = rows::find_visible(conn, quoted, Some(account))?;
        quote.status = visible.map(|quoted| Box::new(quoted.body));
    }
    Ok(())
}

/// Deletes a status of this account, or hides it and enqueues [`RemoveStatus`]. For a reblog, also
/// withdraws its notification.
pub(crate) fn remove(tx: &mut Tx<'_>, account: AccountId, id: StatusId) -> Result<()> {
    let target = rows::locate(tx, id)?.ok_or(Error::NotFound)?;
    match rows::remove(tx, id)? {
        Removal::Gone => return Err(Error::NotFound),
        Removal::Deleted(_) => {}
        Removal::Begun => {
            jobs::enqueue(tx, &RemoveStatus { status: id })?;
        }
    }
    if target.id != id {
        notifications::withdraw(tx, reblogged(account, target.id), target.account)?;
    }
    Ok(())
}
