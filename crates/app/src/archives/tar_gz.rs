//! The form of an archive: one `.tar.gz` file, written in parts.
//!
//! The file is one gzip member, as every program reads it. A part is a run of deflate blocks that
//! ends at a byte and refers to no bytes before it. So parts are written one by one, in any order,
//! and the file is their concatenation. Only the last part needs the checksums of the others.

use std::io::{self, Write as _};

use crc32fast::Hasher;
use flate2::{Compression, write::DeflateEncoder};
use siskin_entities::ArchivePart;
use tar::{EntryType, Header};
use tempfile::{NamedTempFile, TempPath};

/// Beginning of a gzip member: deflate, without a name and a time, of an unknown system.
const MEMBER_START: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
/// An empty block of deflate that is the last one.
const LAST_BLOCK: [u8; 2] = [3, 0];
/// Size of the blocks of a tar file.
const BLOCK: u64 = 512;
/// End of a tar file: two empty blocks.
const TAR_END: [u8; 1024] = [0; 1024];

/// Returns the header of a file in the archive. `modified` is in seconds since 1970.
///
/// # Errors
/// If the path is too long.
pub(super) fn header(path: &str, bytes: u64, modified: u64) -> io::Result<Vec<u8>> {
    let mut header = Header::new_ustar();
    header.set_path(path)?;
    header.set_size(bytes);
    header.set_mode(0o600);
    header.set_mtime(modified);
    header.set_entry_type(EntryType::Regular);
    header.set_cksum();
    Ok(header.as_bytes().to_vec())
}

/// Returns the bytes after the content of a file of this size.
pub(super) fn padding(bytes: u64) -> Vec<u8> {
    let rest = (BLOCK - bytes % BLOCK) % BLOCK;
    vec![0; usize::try_from(rest).unwrap_or_default()]
}

/// A part that is being written into a file on the local disk.
pub(super) struct PartWriter {
    encoder: DeflateEncoder<NamedTempFile>,
    checksum: Hasher,
    raw_bytes: u64,
}

/// A part that is written.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) file: TempPath,
    pub(super) bytes: u64,
    pub(super) raw_bytes: u64,
    pub(super) checksum: u32,
}

impl PartWriter {
    /// Begins a part in an empty file.
    pub(super) fn new(file: NamedTempFile, compression: Compression) -> Self {
        Self {
            encoder: DeflateEncoder::new(file, compression),
            checksum: Hasher::new(),
            raw_bytes: 0,
        }
    }

    /// Begins the first part.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn first(mut file: NamedTempFile, compression: Compression) -> io::Result<Self> {
        file.write_all(&MEMBER_START)?;
        Ok(Self::new(file, compression))
    }

    /// Writes content.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn write(&mut self, content: &[u8]) -> io::Result<()> {
        self.checksum.update(content);
        self.raw_bytes += u64::try_from(content.len()).unwrap_or_default();
        self.encoder.write_all(content)
    }

    /// Returns the number of bytes that were written, before compression.
    pub(super) const fn raw_bytes(&self) -> u64 {
        self.raw_bytes
    }

    /// Ends the part.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn finish(self) -> io::Result<Written> {
        let (file, checksum, raw_bytes) = self.flushed()?;
        Written::of(file, checksum.finalize(), raw_bytes)
    }

    /// Ends the last part: writes the end of the tar file and of the gzip member. `before` are all
    /// other parts in their order.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn finish_all(mut self, before: &[ArchivePart]) -> io::Result<Written> {
        self.write(&TAR_END)?;
        let (mut file, own, own_bytes) = self.flushed()?;
        let mut whole = Hasher::new();
        for part in before {
            whole.combine(&Hasher::new_with_initial_len(part.checksum, part.raw_bytes));
        }
        whole.combine(&own);
        let bytes = before.iter().map(|part| part.raw_bytes).sum::<u64>() + own_bytes;
        // Only the lower half of the size is stored.
        let [a, b, c, d, ..] = bytes.to_le_bytes();
        file.write_all(&LAST_BLOCK)?;
        file.write_all(&whole.finalize().to_le_bytes())?;
        file.write_all(&[a, b, c, d])?;
        Written::of(file, own.finalize(), own_bytes)
    }

    fn flushed(self) -> io::Result<(NamedTempFile, Hasher, u64)> {
        Ok((self.encoder.flush_finish()?, self.checksum, self.raw_bytes))
    }
}

impl Written {
    fn of(mut file: NamedTempFile, checksum: u32, raw_bytes: u64) -> io::Result<Self> {
        file.flush()?;
        let bytes = file.as_file().metadata()?.len();
        Ok(Self { file: file.into_temp_path(), bytes, raw_bytes, checksum })
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Read as _};

    use flate2::read::GzDecoder;

    use super::*;

    fn part(written: &Written) -> ArchivePart {
        ArchivePart {
            file: String::new(),
            bytes: written.bytes,
            raw_bytes: written.raw_bytes,
            checksum: written.checksum,
        }
    }

    fn content(written: &Written) -> Vec<u8> {
        let content = fs::read(&written.file).unwrap();
        assert_eq!(u64::try_from(content.len()).unwrap(), written.bytes);
        content
    }

    fn file() -> NamedTempFile {
        NamedTempFile::new().unwrap()
    }

    #[test]
    fn parts_become_one_file_in_any_order_of_writing() {
        let (hello, noise) =
            (b"hello ".repeat(3000), (0..=255).cycle().take(70_000).collect::<Vec<u8>>());
        let long = hello.len() + noise.len();
        let size = u64::try_from(long).unwrap();
        // The header of the second file is written after its content, because only then its size is
        // known.
        let mut first = PartWriter::first(file(), Compression::default()).unwrap();
        first.write(&header("a.txt", 2, 7).unwrap()).unwrap();
        first.write(b"hi").unwrap();
        first.write(&padding(2)).unwrap();
        let first = first.finish().unwrap();
        let mut third = PartWriter::new(file(), Compression::default());
        third.write(&hello).unwrap();
        let third = third.finish().unwrap();
        let mut fourth = PartWriter::new(file(), Compression::none());
        fourth.write(&noise).unwrap();
        fourth.write(&padding(size)).unwrap();
        assert_eq!(
            fourth.raw_bytes() % 512,
            (512 - u64::try_from(hello.len()).unwrap() % 512) % 512
        );
        let fourth = fourth.finish().unwrap();
        let mut second = PartWriter::new(file(), Compression::default());
        second.write(&header("media/b.bin", size, 7).unwrap()).unwrap();
        let second = second.finish().unwrap();
        let before = [&first, &second, &third, &fourth].map(part);
        let last = PartWriter::new(file(), Compression::default()).finish_all(&before).unwrap();

        let all = [&first, &second, &third, &fourth, &last].map(content).concat();
        let mut unpacked = Vec::new();
        // The decoder checks the checksum and the size, and reads one member only.
        GzDecoder::new(&all[..]).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked.len() % 512, 0);
        let mut archive = tar::Archive::new(&unpacked[..]);
        let mut found = Vec::new();
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let path = entry.path().unwrap().display().to_string();
            let mut content = Vec::new();
            entry.read_to_end(&mut content).unwrap();
            found.push((path, content));
        }
        let expected = [
            ("a.txt".to_owned(), b"hi".to_vec()),
            ("media/b.bin".to_owned(), [hello, noise].concat()),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn files_fill_whole_blocks() {
        for (bytes, rest) in [(0, 0), (1, 511), (511, 1), (512, 0), (513, 511)] {
            assert_eq!(padding(bytes).len(), rest, "{bytes}");
        }
    }
}
