//! Archives of accounts, which a job writes in stages, and each stage in steps. What the stages mean
//! is the caller's part.

use diesel::prelude::*;
use siskin_entities::{ArchivePart, ExportKind};
use siskin_ids::{AccountId, ExportId, MediaId, StatusId};

use crate::{
    Conn, IdMap, Result, Tx,
    conn::each,
    equals_any::IdExpression as _,
    schema::{export_parts, exports, media_attachments, statuses},
};

/// An archive that is not complete: where the next step begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenArchive {
    pub id: ExportId,
    pub account: AccountId,
    /// Number of the stage.
    pub stage: i16,
    /// Number of steps that were stored.
    pub step: i64,
    /// Id of the last row of the stage that was written; 0 for none.
    pub after: i64,
    /// Number of bytes and of entries that were written of the collection of this stage.
    pub entry_bytes: i64,
    pub entry_items: i64,
}

/// Loads an archive that is not complete. Returns `None` if it is complete or gone, and for an
/// export of another kind.
pub fn open(conn: &mut Conn, id: ExportId) -> Result<Option<OpenArchive>> {
    let row: Option<(AccountId, i16, i64, i64, i64, i64)> = exports::table
        .find(id)
        .filter(exports::kind.eq(ExportKind::Archive.as_str()))
        .filter(exports::completed_at.is_null())
        .select((
            exports::account_id,
            exports::stage,
            exports::step,
            exports::last_status_id,
            exports::entry_bytes,
            exports::entry_items,
        ))
        .first(conn)
        .optional()?;
    Ok(row.map(|(account, stage, step, after, entry_bytes, entry_items)| OpenArchive {
        id,
        account,
        stage,
        step,
        after,
        entry_bytes,
        entry_items,
    }))
}

/// A part that is not stored yet, and its place among the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedPart {
    pub position: i64,
    pub part: ArchivePart,
}

/// Stores a step: where the next one begins, the number of statuses that this one wrote, and its
/// parts. Returns `false` without storing anything if another job stored a step since, or if the
/// archive is complete or gone.
pub fn add(
    tx: &mut Tx<'_>,
    next: &OpenArchive,
    statuses: i64,
    parts: &[PlacedPart],
) -> Result<bool> {
    let bytes: i64 = parts.iter().map(|placed| stored(placed.part.bytes)).sum();
    let is_next = exports::step.eq(next.step - 1).and(exports::completed_at.is_null());
    let changed = diesel::update(exports::table.find(next.id).filter(is_next))
        .set((
            exports::stage.eq(next.stage),
            exports::step.eq(next.step),
            exports::last_status_id.eq(next.after),
            exports::entry_bytes.eq(next.entry_bytes),
            exports::entry_items.eq(next.entry_items),
            exports::statuses.eq(exports::statuses + statuses),
            exports::bytes.eq(exports::bytes + bytes),
        ))
        .execute(&mut **tx)?;
    if changed == 0 {
        return Ok(false);
    }
    let row = |placed: &PlacedPart| {
        let PlacedPart { position, part } = placed;
        (
            export_parts::export_id.eq(next.id),
            export_parts::position.eq(*position),
            export_parts::file.eq(part.file.clone()),
            export_parts::bytes.eq(stored(part.bytes)),
            export_parts::raw_bytes.eq(stored(part.raw_bytes)),
            export_parts::checksum.eq(i64::from(part.checksum)),
        )
    };
    let rows: Vec<_> = parts.iter().map(row).collect();
    if !rows.is_empty() {
        each!(&mut **tx, conn => diesel::insert_into(export_parts::table)
            .values(rows)
            .execute(conn))?;
    }
    Ok(true)
}

fn stored(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// Loads the parts of an archive, in their order.
pub fn parts(conn: &mut Conn, id: ExportId) -> Result<Vec<ArchivePart>> {
    let rows: Vec<(String, i64, i64, i64)> = export_parts::table
        .filter(export_parts::export_id.eq(id))
        .order(export_parts::position)
        .select((
            export_parts::file,
            export_parts::bytes,
            export_parts::raw_bytes,
            export_parts::checksum,
        ))
        .load(conn)?;
    let part = |(file, bytes, raw_bytes, checksum): (String, i64, i64, i64)| ArchivePart {
        file,
        bytes: u64::try_from(bytes).unwrap_or_default(),
        raw_bytes: u64::try_from(raw_bytes).unwrap_or_default(),
        checksum: u32::try_from(checksum).unwrap_or_default(),
    };
    Ok(rows.into_iter().map(part).collect())
}

/// Loads up to `limit` files that are attached to statuses of an account, with higher ids than
/// `after`, the oldest first: the id of each attachment, and the name of its file.
pub fn attached_files_after(
    conn: &mut Conn,
    account: AccountId,
    after: MediaId,
    limit: i64,
) -> Result<Vec<(MediaId, String)>> {
    Ok(media_attachments::table
        .filter(media_attachments::account_id.eq(account))
        .filter(media_attachments::id.gt(after))
        .filter(media_attachments::status_id.is_not_null())
        .filter(media_attachments::file.is_not_null())
        .order(media_attachments::id)
        .limit(limit)
        .select((media_attachments::id, media_attachments::file.assume_not_null()))
        .load(conn)?)
}

/// Loads the identifiers of these statuses among servers. Leaves out unknown ids.
pub fn uris(conn: &mut Conn, ids: &[StatusId]) -> Result<IdMap<StatusId, String>> {
    let rows: Vec<(StatusId, String)> = statuses::table
        .filter(statuses::id.equals_any(ids))
        .select((statuses::id, statuses::uri))
        .load(conn)?;
    Ok(rows.into_iter().collect())
}
