//! Compares stored files with the rows that name them.

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

/// A younger file may be one whose row is just being written.
const YOUNG: Duration = Duration::from_secs(24 * 3600);

/// Where files and rows do not agree.
#[derive(Debug, Default)]
pub struct Files {
    /// Named by a row, and not there.
    pub missing: Vec<String>,
    /// There for a day or longer, and neither named nor about to be removed.
    pub orphaned: Vec<FileName>,
}

/// Looks at all files and all names.
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

/// Removes files.
///
/// # Errors
/// Those of the storage.
pub fn remove(media: &Media, files: &[FileName]) -> Result<()> {
    for file in files {
        blocking(media.storage().delete(file))??;
    }
    Ok(())
}

/// Waits for work on files in a command, which has nothing else to do.
///
/// # Errors
/// No thread is to be had for it.
pub fn blocking<T>(work: impl Future<Output = T>) -> Result<T> {
    // One for all, so that connections are kept from one work to the next.
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    let runtime = match RUNTIME.get() {
        Some(runtime) => runtime,
        None => {
            let made = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            RUNTIME.get_or_init(|| made)
        }
    };
    Ok(runtime.block_on(work))
}

/// Reads a stored file from its beginning to its end, a piece at a time.
pub struct Reader<'a> {
    storage: &'a dyn Storage,
    name: &'a FileName,
    at: u64,
    bytes: u64,
    piece: io::Cursor<Vec<u8>>,
}

impl<'a> Reader<'a> {
    /// A reader of the file; None where it is not there.
    ///
    /// # Errors
    /// Those of the storage.
    pub fn open(storage: &'a dyn Storage, name: &'a FileName) -> Result<Option<Self>> {
        let found = blocking(storage.size(name))??;
        Ok(found.map(|bytes| Self { storage, name, at: 0, bytes, piece: io::Cursor::default() }))
    }
}

impl Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.piece.read(buffer)?;
        if read > 0 || self.at == self.bytes || buffer.is_empty() {
            return Ok(read);
        }
        let next = self.bytes.min(self.at + self.storage.piece());
        let piece = blocking(self.storage.read(self.name, self.at..next));
        self.piece = io::Cursor::new(piece.map_err(io::Error::other)??);
        self.at = next;
        self.piece.read(buffer)
    }
}
