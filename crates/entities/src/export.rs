//! Exports: files with all statuses of an account, and archives with everything, for its owner.

use siskin_ids::{AccountId, ExportId};

use crate::{
    Timestamp,
    named::{names, parses},
};

/// What an export contains. The name is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ExportKind {
    /// All statuses, in the form of the API.
    #[default]
    Posts,
    /// Everything, with the files: profile, statuses, favourites and bookmarks in the form of
    /// ActivityPub, as archives of Mastodon.
    Archive,
}

names!(ExportKind { Posts = "posts", Archive = "archive" });
parses!(
    /// Error for a name that is no kind of export.
    ExportKind, UnknownExportKind: "unknown kind of export"
);

/// File with data of an account. A job writes it in parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// Id of the export.
    pub id: ExportId,
    /// Account that owns the data, and alone may download the file.
    pub account: AccountId,
    /// What it contains.
    pub kind: ExportKind,
    /// Number of statuses that were written so far.
    pub statuses: i64,
    /// Size of what was written so far, in bytes.
    pub bytes: i64,
    /// Time at which the last part was written. `None` if the job has not finished yet.
    pub completed_at: Option<Timestamp>,
    /// Time from which on it cannot be downloaded.
    pub expires_at: Timestamp,
    /// Time at which the owner requested it.
    pub created_at: Timestamp,
}

impl Export {
    /// Returns `true` if the owner can download it at this time.
    #[must_use]
    pub fn is_ready(&self, now: Timestamp) -> bool {
        self.completed_at.is_some() && now < self.expires_at
    }
}

/// Stored file that is a part of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportPart {
    /// Name of the file.
    pub file: String,
    /// Size in bytes.
    pub bytes: i64,
}

/// Stored file that is a part of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivePart {
    /// Name of the file.
    pub file: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Size before compression, in bytes.
    pub raw_bytes: u64,
    /// CRC-32 of the bytes before compression.
    pub checksum: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_is_ready_from_its_completion_to_its_expiry() {
        let at = Timestamp::from_unix_ms;
        let export = Export {
            id: ExportId::new(1),
            account: AccountId::new(1),
            kind: ExportKind::Posts,
            statuses: 0,
            bytes: 0,
            completed_at: Some(at(2)),
            expires_at: at(5),
            created_at: at(1),
        };
        assert!(export.is_ready(at(4)) && !export.is_ready(at(5)));
        assert!(!Export { completed_at: None, ..export }.is_ready(at(4)));
    }
}
