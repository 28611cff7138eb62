//! The manifest of an archive.

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// Version of the archive format that this program writes and reads.
const FORMAT: u32 = 1;

/// The manifest: the first file of an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    format: u32,
    /// Name and version of the program that wrote the archive.
    program: String,
    /// Last schema migration of the database that the rows come from.
    schema: String,
    /// Time of the snapshot (RFC 3339).
    pub created_at: String,
    pub tables: Vec<TableEntry>,
    pub media: Vec<MediaEntry>,
}

/// One table: its rows are the lines of `tables/NAME.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableEntry {
    pub name: String,
    pub rows: u64,
    pub bytes: u64,
    /// SHA-256 in hexadecimal.
    pub sha256: String,
}

/// One uploaded file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaEntry {
    /// Path below the media folder, with `/` as separator.
    pub path: String,
    pub bytes: u64,
    /// SHA-256 in hexadecimal.
    pub sha256: String,
}

impl Manifest {
    pub fn new(
        schema: String,
        created_at: String,
        tables: Vec<TableEntry>,
        media: Vec<MediaEntry>,
    ) -> Self {
        let program = format!("siskin {}", env!("CARGO_PKG_VERSION"));
        Self { format: FORMAT, program, schema, created_at, tables, media }
    }

    /// Returns the total number of rows.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }

    /// Checks that this program, with the schema `schema`, can restore the archive.
    ///
    /// # Errors
    /// If it cannot; the message names the version that can.
    pub fn require(&self, schema: &str) -> Result<()> {
        ensure!(
            self.format == FORMAT,
            "the backup has format {}, but this program supports format {FORMAT}",
            self.format
        );
        ensure!(
            self.schema == schema,
            "the backup has schema {}, but this program has schema {schema}: restore the backup \
             with the release that wrote it ({}), then upgrade",
            self.schema,
            self.program
        );
        Ok(())
    }
}
