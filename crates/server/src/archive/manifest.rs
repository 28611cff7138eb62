//! What an archive says of itself.

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// The form of archives that this program writes and reads.
const FORMAT: u32 = 1;

/// The first file of an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    format: u32,
    /// Which program wrote it.
    program: String,
    /// The last migration of the schema that the rows have.
    schema: String,
    /// When the snapshot was taken, RFC 3339.
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
    /// In hexadecimal.
    pub sha256: String,
}

/// One uploaded file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaEntry {
    /// Inside the folder of media, with `/` between its parts.
    pub path: String,
    pub bytes: u64,
    /// In hexadecimal.
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

    /// How many rows there are in all.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }

    /// Whether this program, whose schema is `schema`, can restore the archive.
    ///
    /// # Errors
    /// It cannot; the message says with which it can be done.
    pub fn require(&self, schema: &str) -> Result<()> {
        ensure!(
            self.format == FORMAT,
            "the archive has format {}, this program knows {FORMAT}",
            self.format
        );
        ensure!(
            self.schema == schema,
            "the archive has the schema {}, this program has {schema}: restore it with the \
             release that wrote it ({}), and upgrade then",
            self.schema,
            self.program
        );
        Ok(())
    }
}
