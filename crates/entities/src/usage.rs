//! What the server uses: the database, the stored files and the job queue.

use crate::{
    named::{names, parses},
    time::Timestamp,
};

/// What the server uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorageUsage {
    /// The database.
    pub database: DatabaseUsage,
    /// The stored files.
    pub media: MediaUsage,
    /// The job queue.
    pub jobs: JobNumbers,
}

/// Size of the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseUsage {
    /// The engine.
    pub software: DatabaseSoftware,
    /// Size in bytes, with indexes and free pages.
    pub bytes: i64,
    /// Numbers of rows of the largest tables.
    pub tables: Vec<TableRows>,
}

/// A database engine with its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseSoftware {
    /// Name for programs: `sqlite` or `postgresql`.
    pub key: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// Version, such as `17.2`.
    pub version: String,
}

/// Number of rows of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRows {
    /// Name of the table.
    pub name: &'static str,
    /// Number of rows, perhaps some time ago. On PostgreSQL an estimate.
    pub rows: i64,
}

/// Kind of a stored file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileKind {
    /// A picture: attached, of a profile, of a link preview, or an emoji.
    Picture,
    /// A video.
    Video,
    /// A recording.
    Audio,
    /// An upload that is not processed yet.
    Upload,
    /// A part of the export of an account.
    Export,
}

names!(FileKind {
    Picture = "picture",
    Video = "video",
    Audio = "audio",
    Upload = "upload",
    Export = "export",
});
parses!(
    /// Error for a name that is no kind of file.
    FileKind, UnknownFileKind: "unknown kind of file"
);

/// The files of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilesOfKind {
    /// The kind.
    pub kind: FileKind,
    /// Number of files.
    pub files: i64,
    /// Their size in bytes.
    pub bytes: i64,
}

/// Size of the stored files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MediaUsage {
    /// Each kind of which there are files.
    pub kinds: Vec<FilesOfKind>,
    /// Time at which the oldest part of the storage was listed. `None` before all was listed once.
    pub listed_at: Option<Timestamp>,
    /// Free bytes on the disk. `None` if the files are not on a local disk.
    pub free_bytes: Option<u64>,
}

impl MediaUsage {
    /// Returns the size of all files in bytes.
    #[must_use]
    pub fn bytes(&self) -> i64 {
        self.kinds.iter().map(|of_kind| of_kind.bytes).sum()
    }
}

/// Numbers of jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JobNumbers {
    /// Due now, or running.
    pub due: i64,
    /// Due later.
    pub later: i64,
    /// Failed for good, and stored for the operator.
    pub dead: i64,
}
