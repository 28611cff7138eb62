//! Reader of the pictures in an archive: zip, or tar with or without gzip. It does not check the
//! contents: a part of an oversized file is enough for the caller to refuse it.

use std::{
    fs::File,
    io::{BufReader, Read, Seek},
    path::{Component, Path},
};

use anyhow::{Context, Result, bail};
use flate2::read::GzDecoder;
use siskin_policy::limits::MAX_EMOJI_BYTES;

/// A file of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Path in the archive.
    pub path: String,
    /// File name without extension.
    pub stem: String,
    /// At most one byte more than the maximum size of an emoji.
    pub content: Vec<u8>,
}

/// Passes each file of the archive at `path` to `sink`, in the order of the archive. It skips
/// folders, and files that operating systems add (`.DS_Store`, `__MACOSX/…`).
///
/// # Errors
/// The file is not an archive, or damaged; the errors of `sink`.
pub fn each(path: &Path, sink: impl FnMut(Member) -> Result<()>) -> Result<()> {
    let mut file = BufReader::new(File::open(path)?);
    let mut beginning = Vec::new();
    file.by_ref().take(4).read_to_end(&mut beginning)?;
    file.rewind()?;
    match beginning[..] {
        [b'P', b'K', 3 | 5, 4 | 6] => each_of_zip(file, sink),
        [0x1f, 0x8b, ..] => each_of_tar(GzDecoder::new(file), sink),
        _ => each_of_tar(file, sink),
    }
}

fn each_of_zip(file: BufReader<File>, mut sink: impl FnMut(Member) -> Result<()>) -> Result<()> {
    let mut archive = zip::ZipArchive::new(file).context("the archive is damaged")?;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).context("the archive is damaged")?;
        if entry.is_file() {
            let name = entry.name().context("the archive is damaged")?.into_owned();
            member(&name, &mut entry)?.map_or(Ok(()), &mut sink)?;
        }
    }
    Ok(())
}

fn each_of_tar(file: impl Read, mut sink: impl FnMut(Member) -> Result<()>) -> Result<()> {
    let mut archive = tar::Archive::new(file);
    let mut has_entries = false;
    for entry in archive.entries()? {
        let mut entry = entry.context("the archive is damaged, or neither a zip nor a tar file")?;
        has_entries = true;
        if entry.header().entry_type().is_file() {
            let name = entry.path()?.to_string_lossy().into_owned();
            member(&name, &mut entry)?.map_or(Ok(()), &mut sink)?;
        }
    }
    if has_entries {
        Ok(())
    } else {
        bail!("the archive is empty, or neither a zip nor a tar file")
    }
}

/// Reads a file. Returns `None` for one that an operating system added.
fn member(path: &str, content: &mut impl Read) -> Result<Option<Member>> {
    let file_path = Path::new(path);
    let is_of_system = file_path.components().any(|part| match part {
        Component::Normal(name) => name == "__MACOSX" || name.as_encoded_bytes().starts_with(b"."),
        _ => false,
    });
    let Some(stem) = file_path.file_stem().filter(|_| !is_of_system) else { return Ok(None) };
    let stem = stem.to_string_lossy().into_owned();
    let mut read = Vec::new();
    content.take(MAX_EMOJI_BYTES + 1).read_to_end(&mut read).context("the archive is damaged")?;
    Ok(Some(Member { path: path.to_owned(), stem, content: read }))
}
