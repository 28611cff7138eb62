//! Archives of a whole instance, the same for both database engines: a compressed tar of
//! `manifest.json`, `tables/NAME.jsonl` with the rows of one snapshot, and `media/…`.
//!
//! The manifest lists every file with its SHA-256, so that a damaged archive is refused before
//! anything is restored.

mod manifest;
mod read;
mod write;

use std::io::{self, Read};

use sha2::{Digest, Sha256};

pub use manifest::{Manifest, MediaEntry, TableEntry};
pub use read::{fill, verify};
pub use write::write;

const MANIFEST: &str = "manifest.json";
const TABLES: &str = "tables";
const MEDIA: &str = "media";

/// A reader that hashes and counts the bytes that it reads from `inner`.
struct Hashing<R> {
    inner: R,
    hash: Sha256,
    bytes: u64,
}

impl<R> Hashing<R> {
    fn new(inner: R) -> Self {
        Self { inner, hash: Sha256::new(), bytes: 0 }
    }

    /// Returns the SHA-256 of the bytes in hexadecimal, and their number.
    fn finish(self) -> (String, u64) {
        (hexadecimal(&self.hash.finalize()), self.bytes)
    }
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.hash.update(&buffer[..read]);
        self.bytes += u64::try_from(read).unwrap_or(u64::MAX);
        Ok(read)
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
