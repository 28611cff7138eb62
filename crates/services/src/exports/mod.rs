//! Data of an account for its owner: an export of all its statuses, an archive of everything, and
//! its lists.
//!
//! A job writes an export in steps. Each step stores a part, so that none takes long, and a step
//! that failed is repeated. Rendering and files are up to the caller.

pub mod archives;
mod lists;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use siskin_entities::{Export, ExportKind, ExportPart, Status, Timestamp};
use siskin_ids::{AccountId, ExportId, SessionId, StatusId};
use siskin_persistence::{Conn, Tx, accounts, exports as rows, sessions, statuses};
use siskin_policy::{
    exports::{is_fresh, next_request},
    limits::EXPORT_LIFETIME,
};

use crate::{
    Error, Result,
    jobs::{self, Job},
    media,
};

pub use lists::{ExportedList, Lines, Position};
pub use siskin_persistence::exports::{OpenExport, Progress};

/// Number of statuses of one step.
const STEP: i64 = 200;
/// Maximum number of listed exports: more than expire later than today.
const LISTED: i64 = 10;

/// Job that writes the next part of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteExport {
    pub export: ExportId,
}

impl Job for WriteExport {
    const KIND: &'static str = "exports.write";
}

/// The exports of one kind of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// Those that are not expired, the newest first.
    pub exports: Vec<Export>,
    /// Time at which the account can request the next one. `None` if it can do so now.
    pub next_request: Option<Timestamp>,
}

/// Returns the exports of this kind of an account.
///
/// # Errors
/// Storage errors only.
pub fn overview(
    conn: &mut Conn,
    account: AccountId,
    kind: ExportKind,
    now: Timestamp,
) -> Result<Overview> {
    let mut exports = rows::of_account(conn, account, kind, LISTED)?;
    let latest = exports.first().map(|latest| latest.created_at);
    exports.retain(|export| now < export.expires_at);
    Ok(Overview { exports, next_request: next_request(kind, latest, now) })
}

/// Requests an export of all statuses of an account. A job writes it.
///
/// # Errors
/// [`Error::Invalid`] if the latest request was less than a day ago; [`Error::NotFound`] if the
/// account is gone or being deleted.
pub fn request(tx: &mut Tx<'_>, account: AccountId) -> Result<ExportId> {
    let export = begin(tx, account, ExportKind::Posts)?;
    jobs::enqueue(tx, &WriteExport { export })?;
    Ok(export)
}

/// Inserts an export of this kind, if the account may request one now.
fn begin(tx: &mut Tx<'_>, account: AccountId, kind: ExportKind) -> Result<ExportId> {
    accounts::lock(tx, &[account])?;
    let is_gone = accounts::find(tx, account)?.is_none();
    if is_gone || accounts::ending(tx, account)?.deleting_since.is_some() {
        return Err(Error::NotFound);
    }
    let latest = rows::of_account(tx, account, kind, 1)?.pop().map(|latest| latest.created_at);
    if next_request(kind, latest, tx.now()).is_some() {
        return Err(Error::invalid(match kind {
            ExportKind::Posts => "Only one export a day is possible",
            ExportKind::Archive => "Only one archive a week is possible",
        }));
    }
    let expires_at = tx.now().after(EXPORT_LIFETIME);
    Ok(rows::insert(tx, account, kind, expires_at)?)
}

/// Returns `true` if the person with this session may download exports: the sign-in was a short time
/// ago, and not by a provider that did not ask who the person is.
///
/// # Errors
/// Storage errors only.
pub fn may_download(conn: &mut Conn, session: SessionId, now: Timestamp) -> Result<bool> {
    let proven_at = sessions::proven_at(conn, session)?;
    Ok(proven_at.is_some_and(|proven_at| is_fresh(proven_at, now)))
}

/// Returns an export of this kind that this account can download, with its parts in their order.
///
/// # Errors
/// [`Error::NotFound`] if it is of another kind, belongs to another account, is not complete, or has
/// expired.
pub fn find(
    conn: &mut Conn,
    account: AccountId,
    kind: ExportKind,
    id: ExportId,
    now: Timestamp,
) -> Result<(Export, Vec<ExportPart>)> {
    let found = rows::find(conn, id)?.filter(|export| export.kind == kind);
    let own = found.filter(|export| export.account == account && export.is_ready(now));
    let export = own.ok_or(Error::NotFound)?;
    Ok((export, rows::parts(conn, id)?))
}

/// What the next step of an export writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub export: OpenExport,
    /// The last status that the step looks at. `None` if there are no more.
    pub last: Option<StatusId>,
    /// Statuses to write, the oldest first.
    pub statuses: Vec<Status>,
}

/// Loads the next step of an export. Returns `None` if the export is complete or gone.
///
/// # Errors
/// Storage errors only.
pub fn next_step(conn: &mut Conn, id: ExportId) -> Result<Option<Step>> {
    let Some(export) = rows::open(conn, id)? else { return Ok(None) };
    let ids = rows::statuses_after(conn, export.account, export.after, STEP)?;
    let statuses = own_statuses(conn, export.account, &ids)?;
    Ok(Some(Step { export, last: ids.last().copied(), statuses }))
}

/// Loads own statuses, also those of a suspended account. Leaves out reblogs of statuses that are
/// hidden from the account by now.
fn own_statuses(conn: &mut Conn, account: AccountId, ids: &[StatusId]) -> Result<Vec<Status>> {
    let mut loaded = statuses::load(conn, ids, Some(account))?;
    let of_others: Vec<StatusId> = loaded
        .iter()
        .filter_map(|status| status.reblog.as_deref())
        .filter(|original| original.account.id != account)
        .map(|original| original.id)
        .collect();
    let visible = statuses::visible_ids(conn, &of_others, Some(account))?;
    let visible: HashSet<StatusId> = visible.into_iter().collect();
    loaded.retain(|status| {
        status
            .reblog
            .as_deref()
            .is_none_or(|original| original.account.id == account || visible.contains(&original.id))
    });
    Ok(loaded)
}

/// Stores what a step wrote, and enqueues the job for the next one. If another job stored the same
/// step in the meantime, the file is deleted later.
///
/// # Errors
/// Storage errors only.
pub fn save(tx: &mut Tx<'_>, export: OpenExport, progress: &Progress) -> Result<()> {
    if rows::add(tx, export, progress)? {
        jobs::enqueue(tx, &WriteExport { export: export.id })?;
        return Ok(());
    }
    media::discard_files(tx, progress.part.iter().map(|part| part.file.clone()))
}

/// Stores that an export is complete. From now on, its owner can download it for some time.
///
/// # Errors
/// Storage errors only.
pub fn complete(tx: &mut Tx<'_>, export: OpenExport) -> Result<()> {
    let expires_at = tx.now().after(EXPORT_LIFETIME);
    Ok(rows::complete(tx, export.id, expires_at)?)
}

/// Deletes the exports of an account, and their files later.
pub(crate) fn discard(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    let files = rows::remove_of_account(tx, account)?;
    media::discard_files(tx, files)
}
