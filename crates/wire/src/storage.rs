//! What the server uses, for staff. This is an extension of the REST interface.

use serde::{Deserialize, Serialize};
use siskin_entities::usage as view;

use crate::time::Instant;

/// What the server uses.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminStorage {
    /// The database.
    pub database: AdminDatabase,
    /// The stored files.
    pub media: AdminMedia,
    /// The job queue.
    pub jobs: AdminJobNumbers,
}

/// The database.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminDatabase {
    /// `sqlite` or `postgresql`.
    pub software: String,
    /// Version of the engine.
    pub version: String,
    /// Size in bytes.
    pub bytes: i64,
    /// The tables that grow with the server.
    pub tables: Vec<AdminTable>,
}

/// A table of the database.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminTable {
    /// Name.
    pub name: String,
    /// Number of rows, which may be an estimate or an hour old.
    pub rows: i64,
}

/// The stored files.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminMedia {
    /// Size of all files in bytes.
    pub bytes: i64,
    /// Sizes by kind.
    pub kinds: Vec<AdminFiles>,
    /// Time since which the sizes may have changed; null before all files were listed once.
    pub listed_at: Option<Instant>,
    /// Free bytes on the disk; null in a bucket.
    pub free_bytes: Option<u64>,
}

/// The stored files of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminFiles {
    /// `picture`, `video`, `audio` or `upload`.
    pub kind: String,
    /// Number of files.
    pub files: i64,
    /// Their size in bytes.
    pub bytes: i64,
}

/// Numbers of jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminJobNumbers {
    /// Due now, or running.
    pub due: i64,
    /// Due later.
    pub later: i64,
    /// Dead letters.
    pub dead: i64,
}

/// Renders what the server uses.
#[must_use]
pub fn render(usage: &view::StorageUsage) -> AdminStorage {
    let view::StorageUsage { database, media, jobs } = usage;
    let table =
        |table: &view::TableRows| AdminTable { name: table.name.to_owned(), rows: table.rows };
    let files = |of_kind: &view::FilesOfKind| AdminFiles {
        kind: of_kind.kind.as_str().to_owned(),
        files: of_kind.files,
        bytes: of_kind.bytes,
    };
    AdminStorage {
        database: AdminDatabase {
            software: database.software.key.to_owned(),
            version: database.software.version.clone(),
            bytes: database.bytes,
            tables: database.tables.iter().map(table).collect(),
        },
        media: AdminMedia {
            bytes: media.bytes(),
            kinds: media.kinds.iter().map(files).collect(),
            listed_at: media.listed_at.map(Instant),
            free_bytes: media.free_bytes,
        },
        jobs: AdminJobNumbers { due: jobs.due, later: jobs.later, dead: jobs.dead },
    }
}
