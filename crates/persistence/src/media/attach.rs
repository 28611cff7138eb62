//! Attaches media to statuses.

use diesel::prelude::*;
use siskin_entities::MediaAttachment;
use siskin_ids::{AccountId, MediaId, ScheduledStatusId, StatusId};

use super::MediaRow;
use crate::{Result, Tx, conn::OnEngine, equals_any::IdExpression as _, schema::media_attachments};

/// Loads those of `ids` that this account uploaded and that belong to no status, in no particular
/// order. Leaves out attachments that a scheduled status other than `reserved_by` holds. Locks them
/// until the transaction ends.
pub fn take_for_status(
    tx: &mut Tx<'_>,
    account: AccountId,
    ids: &[MediaId],
    reserved_by: Option<ScheduledStatusId>,
) -> Result<Vec<MediaAttachment>> {
    let owner = media_attachments::scheduled_status_id;
    if let OnEngine::Postgres(pg) = tx.on_engine() {
        media_attachments::table
            .filter(media_attachments::id.equals_any(ids.to_vec()))
            .select(media_attachments::id)
            // All transactions lock in the order of the ids, so they cannot deadlock.
            .order(media_attachments::id)
            .for_update()
            .load::<MediaId>(pg)?;
    }
    let rows: Vec<MediaRow> = media_attachments::table
        .filter(media_attachments::id.equals_any(ids.to_vec()))
        .filter(media_attachments::account_id.eq(account))
        .filter(media_attachments::status_id.is_null())
        .filter(owner.is_null().or(owner.eq(reserved_by)))
        .select(MediaRow::as_select())
        .load(&mut **tx)?;
    Ok(rows.into_iter().map(MediaAttachment::from).collect())
}

/// Attaches these attachments, which were [locked](take_for_status), to a status in this order. A
/// scheduled status does not hold them any more.
pub fn attach(tx: &mut Tx<'_>, status: StatusId, ids: &[MediaId]) -> Result<()> {
    for (position, id) in (0_i16..).zip(ids) {
        diesel::update(media_attachments::table.find(*id))
            .set((
                media_attachments::status_id.eq(status),
                media_attachments::scheduled_status_id.eq(None::<ScheduledStatusId>),
                media_attachments::position.eq(position),
            ))
            .execute(&mut **tx)?;
    }
    Ok(())
}

/// Detaches the attachments of a status. They count as unattached from now on. Returns their
/// number.
pub fn detach(tx: &mut Tx<'_>, status: StatusId) -> Result<usize> {
    let now = tx.now().unix_ms();
    Ok(diesel::update(media_attachments::table)
        .filter(media_attachments::status_id.eq(status))
        .set((
            media_attachments::status_id.eq(None::<StatusId>),
            media_attachments::unattached_at.eq(now),
        ))
        .execute(&mut **tx)?)
}
