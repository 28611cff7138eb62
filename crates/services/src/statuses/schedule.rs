//! Scheduled statuses, visible only to their authors. The author can list, postpone and delete
//! them, and change their attachments.

use std::time::Duration;

use siskin_entities::{Page, PageRequest, ScheduledStatus, Timestamp};
use siskin_ids::{AccountId, MediaId, ScheduledStatusId};
use siskin_persistence::{
    Conn, Tx, accounts, media,
    scheduled::{self as rows, NewScheduled},
};
use siskin_policy::limits::{
    MAX_SCHEDULED_STATUSES, MAX_SCHEDULED_STATUSES_A_DAY, MIN_SCHEDULED_AHEAD,
};

use super::{Prepared, draft::prepare_scheduled, due, publish};
use crate::{Error, Instance, Result, attachments};

const DAY: Duration = Duration::from_secs(24 * 3600);

/// Stores a prepared status until its time. The author's defaults are applied now, so that it is
/// published as intended when it was written.
///
/// # Errors
/// All errors of publishing it now; [`Error::Invalid`] for a time that is too near, and if too many
/// statuses are already scheduled.
pub(super) fn schedule(
    tx: &mut Tx<'_>,
    instance: &Instance,
    account: AccountId,
    id: ScheduledStatusId,
    at: Timestamp,
    prepared: &Prepared,
) -> Result<ScheduledStatus> {
    // The lock serialises simultaneous requests, so that each counts the statuses before it.
    accounts::lock(tx, &[account])?;
    require_ahead(tx.now(), at)?;
    require_room(tx, account)?;
    require_room_on_day(tx, account, at, None)?;
    let admitted = publish::admit(tx, account, prepared, None)?;
    admitted.check_mentions(tx, instance, account)?;
    let draft = &admitted.draft;
    let application = prepared.application;
    rows::insert(tx, &NewScheduled { id, account, at, draft, application })?;
    media::reserve(tx, id, &prepared.media)?;
    due::enqueue_publishing(tx, id, at)?;
    find_scheduled(tx, account, id)
}

fn require_ahead(now: Timestamp, at: Timestamp) -> Result<()> {
    if at < now.after(MIN_SCHEDULED_AHEAD) {
        let minutes = MIN_SCHEDULED_AHEAD.as_secs() / 60;
        return Err(Error::validation(format!(
            "Scheduled at must be at least {minutes} minutes in the future"
        )));
    }
    Ok(())
}

fn require_room(conn: &mut Conn, account: AccountId) -> Result<()> {
    if rows::count(conn, account)? >= MAX_SCHEDULED_STATUSES {
        return Err(Error::validation(format!(
            "At most {MAX_SCHEDULED_STATUSES} posts can be scheduled"
        )));
    }
    Ok(())
}

/// Checks that one more status, or the existing one `moved`, fits on this day (UTC).
fn require_room_on_day(
    conn: &mut Conn,
    account: AccountId,
    at: Timestamp,
    moved: Option<ScheduledStatusId>,
) -> Result<()> {
    let day = at.midnight();
    let count = rows::count_between(conn, account, moved, day, day.after(DAY))?;
    if count >= MAX_SCHEDULED_STATUSES_A_DAY {
        return Err(Error::validation(format!(
            "At most {MAX_SCHEDULED_STATUSES_A_DAY} posts can be scheduled for one day"
        )));
    }
    Ok(())
}

/// Loads a page of an account's scheduled statuses, the latest written first.
///
/// # Errors
/// Storage errors only.
pub fn scheduled(
    conn: &mut Conn,
    account: AccountId,
    request: PageRequest,
) -> Result<Page<ScheduledStatus>> {
    Ok(rows::page(conn, account, request)?)
}

/// Returns a scheduled status of the account.
///
/// # Errors
/// [`Error::NotFound`] if it does not exist, is published, or belongs to another account.
pub fn find_scheduled(
    conn: &mut Conn,
    account: AccountId,
    id: ScheduledStatusId,
) -> Result<ScheduledStatus> {
    own(account, rows::find(conn, id)?)
}

fn own(account: AccountId, found: Option<ScheduledStatus>) -> Result<ScheduledStatus> {
    found.filter(|found| found.account == account).ok_or(Error::NotFound)
}

/// Changes of a scheduled status; `None` keeps the current value.
#[derive(Debug, Clone, Default)]
pub struct Change {
    pub at: Option<Timestamp>,
    /// All attachments, in their order.
    pub media_ids: Option<Vec<String>>,
}

/// Changes a scheduled status of the account. Releases attachments that are removed from it.
///
/// # Errors
/// [`Error::NotFound`] as [`find_scheduled`]. [`Error::Invalid`] for a time that is too near, and
/// if too many statuses are scheduled for that day. Also [`Error::Invalid`] for attachments that it
/// cannot have, and if it is empty without them.
pub fn change_scheduled(
    tx: &mut Tx<'_>,
    account: AccountId,
    id: ScheduledStatusId,
    change: &Change,
) -> Result<ScheduledStatus> {
    accounts::lock(tx, &[account])?;
    let before = own(account, rows::take(tx, id)?)?;
    if let Some(at) = change.at {
        move_to(tx, &before, at)?;
    }
    if let Some(ids) = &change.media_ids {
        change_media(tx, &before, attachments::media_ids(ids)?)?;
    }
    find_scheduled(tx, account, id)
}

/// Moves a scheduled status to another time. If the job for the previous time is running, it finds
/// the new time and does nothing.
fn move_to(tx: &mut Tx<'_>, before: &ScheduledStatus, at: Timestamp) -> Result<()> {
    require_ahead(tx.now(), at)?;
    if at == before.at {
        return Ok(());
    }
    require_room_on_day(tx, before.account, at, Some(before.id))?;
    rows::set_time(tx, before.id, at)?;
    due::cancel_publishing(tx, before.id, before.at)?;
    due::enqueue_publishing(tx, before.id, at)
}

fn change_media(tx: &mut Tx<'_>, before: &ScheduledStatus, media: Vec<MediaId>) -> Result<()> {
    let id = before.id;
    let after = prepare_scheduled(before, media)?;
    attachments::require_ready(tx, before.account, &after.media, Some(id))?;
    rows::set_draft(tx, id, &after.draft)?;
    media::release_others(tx, id, &after.media)?;
    Ok(media::reserve(tx, id, &after.media)?)
}

/// Deletes a scheduled status of the account, and releases its attachments.
///
/// # Errors
/// As [`find_scheduled`].
pub fn unschedule(tx: &mut Tx<'_>, account: AccountId, id: ScheduledStatusId) -> Result<()> {
    let scheduled = own(account, rows::take(tx, id)?)?;
    due::cancel_publishing(tx, id, scheduled.at)?;
    media::release(tx, id)?;
    Ok(rows::remove(tx, id)?)
}
