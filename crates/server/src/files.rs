//! Comparison of stored files with the rows that name them.

use std::{
    collections::BTreeSet,
    io::{self, Read},
    sync::OnceLock,
    time::Duration,
};

use anyhow::Result;
use siskin_media::{FileName, Media, Storage};
use siskin_services::media;
use tokio::runtime::Runtime;

use crate::site::Site;

/// Minimum age of an orphaned file. The row of a younger one may not be committed yet.
const YOUNG: Duration = Duration::from_secs(24 * 3600);

/// Differences between files and rows.
#[derive(Debug, Default)]
pub struct Files {
    /// Named by a row, but not stored.
    pub missing: Vec<String>,
    /// Stored for a day or longer, but neither named by a row nor about to be deleted.
    pub orphaned: Vec<FileName>,
}

/// Compares all files with all names.
///
/// # Errors
/// Those of the database and of the storage.
pub fn compare(site: &Site) -> Result<Files> {
    // The rows first: a file that a row names stays longer than the row.
    let (named, discarded) =
        site.read(|conn| Ok((media::named(conn)?, media::discarded(conn)?)))?;
    let listed = blocking(site.media()?.storage().list())??;
    let stored: BTreeSet<&str> = listed.iter().map(|file| file.name.as_str()).collect();
    let missing = named.iter().filter(|name| !stored.contains(name.as_str())).cloned().collect();
    let is_needed = |name: &str| named.contains(name) || discarded.contains(name);
    let orphaned = listed
        .iter()
        .filter(|file| !is_needed(file.name.as_str()))
        .filter(|file| file.modified.elapsed().unwrap_or_default() > YOUNG)
        .map(|file| file.name.clone())
        .collect();
    Ok(Files { missing, orphaned })
}

/// Deletes files.
///
/// # Errors
/// Those of the storage.
pub fn remove(media: &Media, files: &[FileName]) -> Result<()> {
    for file in files {
        blocking(media.storage().delete(file))??;
    }
    Ok(())
}

/// Blocks a command until work on files is done.
///
/// # Errors
/// No thread can be started for it.
pub fn blocking<T>(work: impl Future<Output = T>) -> Result<T> {
    // One runtime for all calls, so that connections stay open between them.
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    let runtime = match RUNTIME.get() {
        Some(runtime) => runtime,
        None => {
            let built = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            RUNTIME.get_or_init(|| built)
        }
    };
    Ok(runtime.block_on(work))
}

/// Reads a stored file from its beginning to its end, a piece at a time.
pub struct StoredFileReader<'a> {
    storage: &'a dyn Storage,
    name: &'a FileName,
    at: u64,
    bytes: u64,
    chunk: io::Cursor<Vec<u8>>,
}

impl<'a> StoredFileReader<'a> {
    /// Opens a reader of the file. Returns `None` if it does not exist.
    ///
    /// # Errors
    /// Those of the storage.
    pub fn open(storage: &'a dyn Storage, name: &'a FileName) -> Result<Option<Self>> {
        let found = blocking(storage.size(name))??;
        Ok(found.map(|bytes| Self { storage, name, at: 0, bytes, chunk: io::Cursor::default() }))
    }
}

impl Read for StoredFileReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.chunk.read(buffer)?;
        if read > 0 || self.at == self.bytes || buffer.is_empty() {
            return Ok(read);
        }
        let next = self.bytes.min(self.at + self.storage.chunk());
        let chunk = blocking(self.storage.read(self.name, self.at..next));
        self.chunk = io::Cursor::new(chunk.map_err(io::Error::other)??);
        self.at = next;
        self.chunk.read(buffer)
    }
}
