//! Attachments that a scheduled status holds. They belong to no status yet, and no other status can
//! use them.

use std::collections::HashMap;

use diesel::prelude::*;
use siskin_entities::MediaAttachment;
use siskin_ids::{MediaId, ScheduledStatusId};

use super::MediaRow;
use crate::{Conn, Result, Tx, equals_any::IdExpression as _, schema::media_attachments};

/// Assigns these attachments, which were [locked](super::take_for_status) for it, to a scheduled
/// status in this order.
pub fn reserve(tx: &mut Tx<'_>, scheduled: ScheduledStatusId, ids: &[MediaId]) -> Result<()> {
    for (position, id) in (0_i16..).zip(ids) {
        diesel::update(media_attachments::table.find(*id))
            .set((
                media_attachments::scheduled_status_id.eq(scheduled),
                media_attachments::position.eq(position),
            ))
            .execute(&mut **tx)?;
    }
    Ok(())
}

/// Releases the attachments of a scheduled status. They count as unattached from now on.
pub fn release(tx: &mut Tx<'_>, scheduled: ScheduledStatusId) -> Result<()> {
    release_others(tx, scheduled, &[])
}

/// Releases the attachments of a scheduled status that are not in `keep`.
pub fn release_others(
    tx: &mut Tx<'_>,
    scheduled: ScheduledStatusId,
    keep: &[MediaId],
) -> Result<()> {
    let now = tx.now().unix_ms();
    diesel::update(media_attachments::table)
        .filter(media_attachments::scheduled_status_id.eq(scheduled))
        .filter(media_attachments::id.ne_all(keep.to_vec()))
        .set((
            media_attachments::scheduled_status_id.eq(None::<ScheduledStatusId>),
            media_attachments::unattached_at.eq(now),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Loads the attachments of a batch of scheduled statuses, each in its order.
pub(crate) fn of_scheduled(
    conn: &mut Conn,
    scheduled: &[ScheduledStatusId],
) -> Result<HashMap<ScheduledStatusId, Vec<MediaAttachment>>> {
    let owner = media_attachments::scheduled_status_id;
    let rows: Vec<MediaRow> = media_attachments::table
        .filter(owner.equals_any(scheduled))
        .order((owner, media_attachments::position))
        .select(MediaRow::as_select())
        .load(conn)?;
    let mut found: HashMap<ScheduledStatusId, Vec<MediaAttachment>> = HashMap::new();
    for row in rows {
        if let Some(scheduled) = row.scheduled_status_id {
            found.entry(scheduled).or_default().push(row.into());
        }
    }
    Ok(found)
}
