//! Archives of accounts: the profile, all statuses, favourites and bookmarks in the form of
//! ActivityPub, and all files.
//!
//! An archive is written in stages. Rendering, and how the parts become one file, are up to the
//! caller.

use std::{collections::HashSet, sync::Arc};

use serde::{Deserialize, Serialize};
use siskin_entities::{Account, ArchivePart, ExportKind, Status};
use siskin_ids::{AccountId, ExportId, MediaId, StatusId};
use siskin_persistence::{
    Conn, IdMap, Tx, accounts,
    exports::{self as rows, archives as archive_rows},
};
use siskin_policy::limits::EXPORT_LIFETIME;

use super::{begin, own_statuses};
use crate::{
    Result,
    emails::{self, Email},
    jobs::{self, Job},
    media,
};

pub use siskin_persistence::exports::archives::{OpenArchive, PlacedPart as Part};

/// Number of statuses of one step.
const STATUSES: i64 = 200;
/// Number of addresses of one step.
const ADDRESSES: i64 = 2000;
/// Maximum number of files of one step.
const FILES: i64 = 40;
/// Number of places of a stage among the parts.
const PLACES: i64 = 1_000_000_000_000;

/// Job that writes the next parts of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteArchive {
    pub archive: ExportId,
}

impl Job for WriteArchive {
    const KIND: &'static str = "archives.write";
}

/// A stage of an archive, in the order in which they are written. Their numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Profile = 0,
    Statuses = 1,
    Favourites = 2,
    Bookmarks = 3,
    Files = 4,
    End = 5,
}

impl Stage {
    /// All stages. Everything after the last one is the end.
    const ALL: [Self; 6] =
        [Self::Profile, Self::Statuses, Self::Favourites, Self::Bookmarks, Self::Files, Self::End];

    fn of(archive: &OpenArchive) -> Self {
        let stage = Self::ALL.into_iter().find(|stage| *stage as i16 == archive.stage);
        stage.unwrap_or(Self::End)
    }
}

/// Requests an archive of an account. A job writes it, and tells the owner by email.
///
/// # Errors
/// [`crate::Error::Invalid`] if the latest request was less than a week ago;
/// [`crate::Error::NotFound`] if the account is gone or being deleted.
pub fn request(tx: &mut Tx<'_>, account: AccountId) -> Result<ExportId> {
    let archive = begin(tx, account, ExportKind::Archive)?;
    jobs::enqueue(tx, &WriteArchive { archive })?;
    Ok(archive)
}

/// What the next step of an archive writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// The profile with its pictures.
    Profile(Arc<Account>),
    /// Entries of a collection.
    Collection(Entries),
    /// Attached files, by the ids of their attachments. The step may leave some to the next one.
    Files(Vec<(MediaId, String)>),
    /// The end of the file. All other parts are there.
    End(Vec<ArchivePart>),
}

/// Entries of a collection, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entries {
    /// Name of the file with the collection.
    pub file: &'static str,
    /// Whether they are the statuses that the owner sees counted.
    pub is_counted: bool,
    pub items: Items,
    /// Id of the last row that the step looks at. `None` if there are no more.
    pub last: Option<i64>,
}

/// The content of entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Items {
    Statuses {
        statuses: Vec<Status>,
        /// Identifiers of the statuses to which they reply.
        parents: IdMap<StatusId, String>,
    },
    /// Identifiers of statuses.
    Addresses(Vec<String>),
}

/// Loads the next step of an archive. Returns `None` if it is complete or gone.
///
/// # Errors
/// Storage errors only.
pub fn next_step(conn: &mut Conn, id: ExportId) -> Result<Option<(OpenArchive, Work)>> {
    let Some(archive) = archive_rows::open(conn, id)? else { return Ok(None) };
    let work = match Stage::of(&archive) {
        Stage::Profile => {
            let Some(account) = accounts::find(conn, archive.account)? else { return Ok(None) };
            Work::Profile(account)
        }
        Stage::Statuses => Work::Collection(own(conn, &archive)?),
        Stage::Favourites => {
            let found = rows::favourites_after(conn, archive.account, archive.after, ADDRESSES)?;
            Work::Collection(addresses("likes.json", found))
        }
        Stage::Bookmarks => {
            let found = rows::bookmarks_after(conn, archive.account, archive.after, ADDRESSES)?;
            Work::Collection(addresses("bookmarks.json", found))
        }
        Stage::Files => {
            let after = MediaId::new(archive.after);
            Work::Files(archive_rows::attached_files_after(conn, archive.account, after, FILES)?)
        }
        Stage::End => Work::End(archive_rows::parts(conn, id)?),
    };
    Ok(Some((archive, work)))
}

fn own(conn: &mut Conn, archive: &OpenArchive) -> Result<Entries> {
    let after = StatusId::new(archive.after);
    let ids = rows::statuses_after(conn, archive.account, after, STATUSES)?;
    let statuses = own_statuses(conn, archive.account, &ids)?;
    let parents: HashSet<StatusId> =
        statuses.iter().filter_map(|status| status.body.in_reply_to_id).collect();
    let parents = archive_rows::uris(conn, &parents.into_iter().collect::<Vec<_>>())?;
    Ok(Entries {
        file: "outbox.json",
        is_counted: true,
        items: Items::Statuses { statuses, parents },
        last: ids.last().map(|id| id.get()),
    })
}

fn addresses(file: &'static str, found: Vec<(i64, String)>) -> Entries {
    let last = found.last().map(|(row, _)| *row);
    let addresses = found.into_iter().map(|(_, address)| address).collect();
    Entries { file, is_counted: false, items: Items::Addresses(addresses), last }
}

/// Returns the state of an archive after a step that wrote this much of a collection, or files up to
/// this attachment.
#[must_use]
pub const fn continued(archive: OpenArchive, after: i64, bytes: i64, items: i64) -> OpenArchive {
    OpenArchive {
        step: archive.step + 1,
        after,
        entry_bytes: archive.entry_bytes + bytes,
        entry_items: archive.entry_items + items,
        ..archive
    }
}

/// Returns the state of an archive after the last step of its stage.
#[must_use]
pub const fn next_stage(archive: OpenArchive) -> OpenArchive {
    OpenArchive {
        stage: archive.stage + 1,
        step: archive.step + 1,
        after: 0,
        entry_bytes: 0,
        entry_items: 0,
        ..archive
    }
}

/// Returns the place of the first part of the present stage. It is written last, if its content
/// depends on the others.
#[must_use]
pub fn first_place(archive: &OpenArchive) -> i64 {
    i64::from(archive.stage) * PLACES
}

/// Returns the place of the part that the present step writes.
#[must_use]
pub fn place(archive: &OpenArchive) -> i64 {
    first_place(archive) + archive.step + 1
}

/// Stores what a step wrote, and enqueues the job for the next one. If another job stored the same
/// step in the meantime, the files are deleted later.
///
/// # Errors
/// Storage errors only.
pub fn save(tx: &mut Tx<'_>, next: &OpenArchive, statuses: i64, parts: &[Part]) -> Result<()> {
    if archive_rows::add(tx, next, statuses, parts)? {
        jobs::enqueue(tx, &WriteArchive { archive: next.id })?;
        return Ok(());
    }
    discard(tx, parts)
}

/// Stores the last part of an archive, and enqueues the email to its owner. From now on, the owner
/// can download it for some time.
///
/// # Errors
/// Storage errors only.
pub fn complete(tx: &mut Tx<'_>, last: &OpenArchive, part: &Part) -> Result<()> {
    let parts = std::slice::from_ref(part);
    if !archive_rows::add(tx, last, 0, parts)? {
        return discard(tx, parts);
    }
    let expires_at = tx.now().after(EXPORT_LIFETIME);
    rows::complete(tx, last.id, expires_at)?;
    emails::enqueue(tx, Email::ArchiveReady { account: last.account, archive: last.id })
}

fn discard(tx: &mut Tx<'_>, parts: &[Part]) -> Result<()> {
    media::discard_files(tx, parts.iter().map(|placed| placed.part.file.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_in_the_order_of_the_stages_and_steps() {
        let mut archive = OpenArchive {
            id: ExportId::new(1),
            account: AccountId::new(2),
            stage: 0,
            step: 0,
            after: 0,
            entry_bytes: 0,
            entry_items: 0,
        };
        let mut places = Vec::new();
        for _ in Stage::ALL {
            places.extend([first_place(&archive), place(&archive)]);
            archive = continued(archive, 9, 100, 3);
            places.push(place(&archive));
            archive = next_stage(continued(archive, 10, 1, 1));
            assert_eq!((archive.after, archive.entry_bytes, archive.entry_items), (0, 0, 0));
        }
        assert!(places.is_sorted_by(|before, after| before < after), "{places:?}");
        assert_eq!(Stage::of(&archive), Stage::End);
    }

    #[test]
    fn numbers_of_stages_never_change() {
        let numbers = Stage::ALL.map(|stage| stage as i16);
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5]);
    }
}
