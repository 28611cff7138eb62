//! Attachments: uploads that wait for processing, their results, and their statuses.

mod attach;
mod meta;
mod reserve;
mod sweep;
mod write;

use std::collections::HashMap;

use diesel::prelude::*;
use siskin_entities::{Focus, MediaAttachment, MediaKind, MediaMeta, MediaStage};
use siskin_ids::{AccountId, MediaId, ScheduledStatusId, StatusId};

use crate::{
    Conn, Result, Tx, conn::OnEngine, equals_any::IdExpression as _, schema::media_attachments,
};

pub use attach::{attach, detach, take_for_status};
pub(crate) use reserve::of_scheduled;
pub use reserve::{release, release_others, reserve};
pub use sweep::{any_unattached, remove_of, sweep};
pub use write::{Changes, Finished, NewMedia, NewPreview, delete, fail, finish, insert, update};

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = media_attachments)]
struct MediaRow {
    id: MediaId,
    account_id: AccountId,
    status_id: Option<StatusId>,
    scheduled_status_id: Option<ScheduledStatusId>,
    kind: i16,
    stage: i16,
    failure: String,
    source_file: Option<String>,
    file: Option<String>,
    preview_file: Option<String>,
    description: String,
    focus_x: Option<i32>,
    focus_y: Option<i32>,
    blurhash: Option<String>,
    meta: String,
}

/// Stored numbers of the stages.
const WAITING: i16 = 0;
const READY: i16 = 1;
const FAILED: i16 = 2;

impl From<MediaRow> for MediaAttachment {
    fn from(row: MediaRow) -> Self {
        Self {
            id: row.id,
            account: row.account_id,
            status: row.status_id,
            scheduled: row.scheduled_status_id,
            kind: MediaKind::from_number(row.kind),
            stage: match row.stage {
                WAITING => MediaStage::Waiting,
                READY => MediaStage::Ready,
                _ => MediaStage::Failed(row.failure),
            },
            source: row.source_file,
            file: row.file,
            preview: row.preview_file,
            description: row.description,
            focus: row.focus_x.zip(row.focus_y).map(|(x, y)| Focus::from_millionths(x, y)),
            blurhash: row.blurhash,
            meta: meta::read(&row.meta),
        }
    }
}

/// Loads an attachment of any owner.
pub fn find(conn: &mut Conn, id: MediaId) -> Result<Option<MediaAttachment>> {
    let row: Option<MediaRow> =
        media_attachments::table.find(id).select(MediaRow::as_select()).first(conn).optional()?;
    Ok(row.map(MediaAttachment::from))
}

/// Loads an attachment and locks it until the transaction ends.
pub fn take(tx: &mut Tx<'_>, id: MediaId) -> Result<Option<MediaAttachment>> {
    // `SQLite` has one writer at a time, and this transaction is it.
    if let OnEngine::Postgres(pg) = tx.on_engine() {
        let row = media_attachments::table.find(id).select(media_attachments::id);
        row.for_update().first::<MediaId>(pg).optional()?;
    }
    find(tx, id)
}

/// Loads the attachments of a batch of statuses, each in its order.
pub(crate) fn of_statuses(
    conn: &mut Conn,
    statuses: &[StatusId],
) -> Result<HashMap<StatusId, Vec<MediaAttachment>>> {
    let rows: Vec<MediaRow> = media_attachments::table
        .filter(media_attachments::status_id.equals_any(statuses))
        .order((media_attachments::status_id, media_attachments::position))
        .select(MediaRow::as_select())
        .load(conn)?;
    let mut found: HashMap<StatusId, Vec<MediaAttachment>> = HashMap::new();
    for row in rows {
        if let Some(status) = row.status_id {
            found.entry(status).or_default().push(row.into());
        }
    }
    Ok(found)
}

/// Serialises metadata to the stored form.
fn stored(meta: &MediaMeta) -> String {
    meta::write(meta)
}

/// `true` if the current status of a query has attachments.
macro_rules! has_media {
    ($status:expr) => {
        $crate::statuses::row_exists!(
            $crate::schema::media_attachments::table
                .filter($crate::schema::media_attachments::status_id.eq($status.nullable()))
        )
    };
}
pub(crate) use has_media;
