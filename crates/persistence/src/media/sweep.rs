//! Deletes unused attachments, a few at a time.

use diesel::prelude::*;
use siskin_entities::{MediaAttachment, Timestamp};
use siskin_ids::{AccountId, MediaId};

use super::MediaRow;
use crate::{
    Conn, Result, Tx, conn::OnEngine, equals_any::IdExpression as _, schema::media_attachments,
};

/// Returns `true` if there is an attachment that has been unattached since `before` and is not held
/// by a scheduled status.
pub fn any_unattached(conn: &mut Conn, before: Timestamp) -> Result<bool> {
    let found: Option<MediaId> = media_attachments::table
        .filter(media_attachments::status_id.is_null())
        .filter(media_attachments::scheduled_status_id.is_null())
        .filter(media_attachments::unattached_at.lt(before.unix_ms()))
        .select(media_attachments::id)
        .first(conn)
        .optional()?;
    Ok(found.is_some())
}

/// Deletes at most `limit` attachments that have been unattached since `before` and are not held by
/// a scheduled status. Returns them, so that the caller can delete their files.
pub fn sweep(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<Vec<MediaAttachment>> {
    let ids = media_attachments::table
        .filter(media_attachments::status_id.is_null())
        .filter(media_attachments::scheduled_status_id.is_null())
        .filter(media_attachments::unattached_at.lt(before.unix_ms()))
        .order((media_attachments::unattached_at, media_attachments::id))
        .limit(limit)
        .select(media_attachments::id);
    let ids: Vec<MediaId> = match tx.on_engine() {
        // Skips rows that another transaction is attaching at this moment.
        OnEngine::Postgres(pg) => ids.for_update().skip_locked().load(pg)?,
        OnEngine::Sqlite(sqlite) => ids.load(sqlite)?,
    };
    let rows: Vec<MediaRow> = media_attachments::table
        .filter(media_attachments::id.equals_any(ids))
        .select(MediaRow::as_select())
        .load(&mut **tx)?;
    remove(tx, rows)
}

/// Deletes at most `limit` attachments of an account, attached or not. Returns them, so that the
/// caller can delete their files.
pub fn remove_of(tx: &mut Tx<'_>, account: AccountId, limit: i64) -> Result<Vec<MediaAttachment>> {
    let rows: Vec<MediaRow> = media_attachments::table
        .filter(media_attachments::account_id.eq(account))
        .order(media_attachments::id)
        .limit(limit)
        .select(MediaRow::as_select())
        .load(&mut **tx)?;
    remove(tx, rows)
}

fn remove(tx: &mut Tx<'_>, rows: Vec<MediaRow>) -> Result<Vec<MediaAttachment>> {
    let ids: Vec<MediaId> = rows.iter().map(|row| row.id).collect();
    diesel::delete(media_attachments::table.filter(media_attachments::id.equals_any(ids)))
        .execute(&mut **tx)?;
    Ok(rows.into_iter().map(MediaAttachment::from).collect())
}
