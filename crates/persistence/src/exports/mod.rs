//! Exports of the data of accounts. A part is the name of a stored file; this module does not read
//! files.

pub mod archives;
mod lists;

use diesel::prelude::*;
use siskin_entities::{Export, ExportKind, ExportPart, Timestamp};
use siskin_ids::{AccountId, ExportId, StatusId};

use crate::{
    Conn, Error, Result, Tx,
    schema::{export_parts, exports, statuses},
};

pub use lists::{
    ExportedAccount, ExportedMute, blocks_after, bookmarks_after, domain_blocks_after,
    favourites_after, members_after, mutes_after,
};

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = exports)]
struct ExportRow {
    id: ExportId,
    account_id: AccountId,
    statuses: i64,
    bytes: i64,
    completed_at: Option<i64>,
    expires_at: i64,
    created_at: i64,
    kind: String,
}

impl TryFrom<ExportRow> for Export {
    type Error = Error;

    fn try_from(row: ExportRow) -> Result<Self> {
        Ok(Self {
            id: row.id,
            account: row.account_id,
            kind: row.kind.parse().map_err(|_| Error::Damaged("exports.kind"))?,
            statuses: row.statuses,
            bytes: row.bytes,
            completed_at: row.completed_at.map(Timestamp::from_unix_ms),
            expires_at: Timestamp::from_unix_ms(row.expires_at),
            created_at: Timestamp::from_unix_ms(row.created_at),
        })
    }
}

/// Inserts an export without parts.
pub fn insert(
    tx: &mut Tx<'_>,
    account: AccountId,
    kind: ExportKind,
    expires_at: Timestamp,
) -> Result<ExportId> {
    let id = ExportId::new(tx.next_id());
    diesel::insert_into(exports::table)
        .values((
            exports::id.eq(id),
            exports::account_id.eq(account),
            exports::last_status_id.eq(0_i64),
            exports::statuses.eq(0_i64),
            exports::bytes.eq(0_i64),
            exports::expires_at.eq(expires_at.unix_ms()),
            exports::created_at.eq(tx.now().unix_ms()),
            exports::kind.eq(kind.as_str()),
            exports::stage.eq(0_i16),
            exports::step.eq(0_i64),
            exports::entry_bytes.eq(0_i64),
            exports::entry_items.eq(0_i64),
        ))
        .execute(&mut **tx)?;
    Ok(id)
}

/// Loads the latest `limit` exports of this kind of an account, the newest first.
pub fn of_account(
    conn: &mut Conn,
    account: AccountId,
    kind: ExportKind,
    limit: i64,
) -> Result<Vec<Export>> {
    let rows: Vec<ExportRow> = exports::table
        .filter(exports::account_id.eq(account))
        .filter(exports::kind.eq(kind.as_str()))
        .order(exports::id.desc())
        .limit(limit)
        .select(ExportRow::as_select())
        .load(conn)?;
    rows.into_iter().map(Export::try_from).collect()
}

/// Loads the export with this id.
pub fn find(conn: &mut Conn, id: ExportId) -> Result<Option<Export>> {
    let row: Option<ExportRow> =
        exports::table.find(id).select(ExportRow::as_select()).first(conn).optional()?;
    row.map(Export::try_from).transpose()
}

/// Loads the parts of an export, in their order.
pub fn parts(conn: &mut Conn, id: ExportId) -> Result<Vec<ExportPart>> {
    let rows: Vec<(String, i64)> = export_parts::table
        .filter(export_parts::export_id.eq(id))
        .order(export_parts::position)
        .select((export_parts::file, export_parts::bytes))
        .load(conn)?;
    Ok(rows.into_iter().map(|(file, bytes)| ExportPart { file, bytes }).collect())
}

/// An export of all statuses that is not complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenExport {
    pub id: ExportId,
    pub account: AccountId,
    /// The last status that was written; 0 for none.
    pub after: StatusId,
}

/// Loads an export of all statuses that is not complete. Returns `None` if it is complete or gone,
/// and for an archive.
pub fn open(conn: &mut Conn, id: ExportId) -> Result<Option<OpenExport>> {
    let row: Option<(AccountId, i64)> = exports::table
        .find(id)
        .filter(exports::kind.eq(ExportKind::Posts.as_str()))
        .filter(exports::completed_at.is_null())
        .select((exports::account_id, exports::last_status_id))
        .first(conn)
        .optional()?;
    Ok(row.map(|(account, after)| OpenExport { id, account, after: StatusId::new(after) }))
}

/// Loads the ids of up to `limit` statuses and reblogs of an account with higher ids than `after`,
/// the oldest first.
pub fn statuses_after(
    conn: &mut Conn,
    account: AccountId,
    after: StatusId,
    limit: i64,
) -> Result<Vec<StatusId>> {
    Ok(statuses::table
        .filter(statuses::account_id.eq(account))
        .filter(statuses::id.gt(after))
        .order(statuses::id)
        .limit(limit)
        .select(statuses::id)
        .load(conn)?)
}

/// Progress of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// The last status that was looked at.
    pub last: StatusId,
    /// Number of statuses that were written.
    pub statuses: i64,
    /// The file with them. `None` if none was written.
    pub part: Option<ExportPart>,
}

/// Stores a part of an export, if no other job stored one since. Returns `false` otherwise.
pub fn add(tx: &mut Tx<'_>, export: OpenExport, progress: &Progress) -> Result<bool> {
    let bytes = progress.part.as_ref().map_or(0, |part| part.bytes);
    let is_next =
        exports::last_status_id.eq(export.after.get()).and(exports::completed_at.is_null());
    let changed = diesel::update(exports::table.find(export.id).filter(is_next))
        .set((
            exports::last_status_id.eq(progress.last.get()),
            exports::statuses.eq(exports::statuses + progress.statuses),
            exports::bytes.eq(exports::bytes + bytes),
        ))
        .execute(&mut **tx)?;
    if changed == 0 {
        return Ok(false);
    }
    if let Some(part) = &progress.part {
        let row = (
            export_parts::export_id.eq(export.id),
            export_parts::position.eq(progress.last.get()),
            export_parts::file.eq(part.file.clone()),
            export_parts::bytes.eq(part.bytes),
            export_parts::raw_bytes.eq(0_i64),
            export_parts::checksum.eq(0_i64),
        );
        diesel::insert_into(export_parts::table).values(row).execute(&mut **tx)?;
    }
    Ok(true)
}

/// Stores that an export is complete, and until when its owner can download it.
pub fn complete(tx: &mut Tx<'_>, id: ExportId, expires_at: Timestamp) -> Result<()> {
    let now = tx.now().unix_ms();
    diesel::update(exports::table.find(id).filter(exports::completed_at.is_null()))
        .set((exports::completed_at.eq(now), exports::expires_at.eq(expires_at.unix_ms())))
        .execute(&mut **tx)?;
    Ok(())
}

/// Deletes all exports of an account. Returns the names of their files.
pub fn remove_of_account(tx: &mut Tx<'_>, account: AccountId) -> Result<Vec<String>> {
    let own = exports::table.filter(exports::account_id.eq(account)).select(exports::id);
    let files: Vec<String> = export_parts::table
        .filter(export_parts::export_id.eq_any(own))
        .select(export_parts::file)
        .load(&mut **tx)?;
    diesel::delete(exports::table.filter(exports::account_id.eq(account))).execute(&mut **tx)?;
    Ok(files)
}
