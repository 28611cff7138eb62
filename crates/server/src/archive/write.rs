//! Writes an archive.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::{BufReader, BufWriter, Read, Seek, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};
use siskin_media::Folder;
use siskin_persistence::{Conn, archive as rows, migrations};
use siskin_services::media;
use tar::{Builder, Header};

use super::{Hashing, MANIFEST, MEDIA, Manifest, MediaEntry, TABLES, TableEntry, hexadecimal};
use crate::site::Site;

type Tar = Builder<GzEncoder<BufWriter<File>>>;

/// Writes the whole instance to a new file at `path`, readable by its owner alone: the hashes of
/// passwords are in it. The rows are those of one moment, also while a server writes.
///
/// # Errors
/// The file is there already, or something cannot be read or written; no file is left then.
pub fn write(site: &Site, path: &Path) -> Result<Manifest> {
    ensure!(!path.exists(), "{} is there already", path.display());
    let draft = beside(path);
    let written = write_draft(site, &draft).and_then(|manifest| {
        fs::rename(&draft, path)?;
        Ok(manifest)
    });
    if written.is_err() {
        // Its own failure would hide the first one.
        drop(fs::remove_file(&draft));
    }
    written
}

/// Complete before it has its name.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

fn write_draft(site: &Site, draft: &Path) -> Result<Manifest> {
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(draft)
        .with_context(|| format!("cannot write {}", draft.display()))?;
    let folder = draft.parent().filter(|folder| !folder.as_os_str().is_empty());
    let created_at = site.store.now().to_string();
    // Those that were going before the rows were read: no row names them.
    let going = site.read(media::discarded)?;
    // Rows first: a file that a row names was there before the row, and stays for a while after.
    let tables = dump(site, folder.unwrap_or(Path::new(".")))?;
    let media = media_files(&site.options.media_dir, &going)?;
    let manifest = Manifest::new(
        migrations::latest()?,
        created_at,
        tables.iter().map(|(entry, _)| entry.clone()).collect(),
        media,
    );
    let mut tar = Builder::new(GzEncoder::new(BufWriter::new(file), Compression::default()));
    append(&mut tar, MANIFEST, &serde_json::to_vec_pretty(&manifest)?[..], None)?;
    for (entry, mut rows) in tables {
        rows.rewind()?;
        append(&mut tar, &format!("{TABLES}/{}.jsonl", entry.name), rows, Some(entry.bytes))?;
    }
    for entry in &manifest.media {
        let file = File::open(site.options.media_dir.join(&entry.path))
            .with_context(|| format!("{} was removed meanwhile: try again", entry.path))?;
        append(&mut tar, &format!("{MEDIA}/{}", entry.path), file, Some(entry.bytes))?;
    }
    tar.into_inner()?.finish()?.into_inner()?.sync_all()?;
    Ok(manifest)
}

/// Adds a file; `bytes` is its length, where it is not that of a slice.
fn append(tar: &mut Tar, path: &str, mut content: impl Read, bytes: Option<u64>) -> Result<()> {
    let mut header = Header::new_gnu();
    header.set_mode(0o600);
    let mut short = Vec::new();
    let Some(bytes) = bytes else {
        content.read_to_end(&mut short)?;
        header.set_size(u64::try_from(short.len())?);
        return Ok(tar.append_data(&mut header, path, &short[..])?);
    };
    header.set_size(bytes);
    let mut content = Hashing::new(content.take(bytes));
    tar.append_data(&mut header, path, &mut content)?;
    ensure!(content.bytes == bytes, "{path} became shorter while it was read");
    Ok(())
}

/// Every table in a temporary file, all from one snapshot.
fn dump(site: &Site, folder: &Path) -> Result<Vec<(TableEntry, File)>> {
    site.store.read(|conn| {
        rows::TABLES.iter().map(|table| dump_table(conn, table, folder)).collect::<Result<_>>()
    })
}

fn dump_table(conn: &mut Conn, table: &str, folder: &Path) -> Result<(TableEntry, File)> {
    let (mut hash, mut bytes) = (Sha256::new(), 0);
    let mut file = BufWriter::new(tempfile::tempfile_in(folder)?);
    let rows = rows::dump(conn, table, |row| -> Result<()> {
        for part in [row.as_bytes(), b"\n"] {
            hash.update(part);
            bytes += u64::try_from(part.len())?;
            file.write_all(part)?;
        }
        Ok(())
    })?;
    let sha256 = hexadecimal(&hash.finalize());
    let entry = TableEntry { name: table.to_owned(), rows, bytes, sha256 };
    Ok((entry, file.into_inner()?))
}

/// The files of the folder and the folders in it but those that are `going`, and those that are
/// being written, in a fixed order; none where it is missing.
fn media_files(folder: &Path, going: &BTreeSet<String>) -> Result<Vec<MediaEntry>> {
    let mut found = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(inside) = folders.pop() {
        let Ok(entries) = fs::read_dir(folder.join(&inside)) else { continue };
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_str().with_context(|| format!("{} is no text", name.display()))?;
            let path = if inside.is_empty() { name.to_owned() } else { format!("{inside}/{name}") };
            let kind = entry.file_type()?;
            if kind.is_dir() {
                if path != Folder::UNFINISHED {
                    folders.push(path);
                }
            } else if kind.is_file() && !going.contains(name) {
                found.push(media_file(folder, path)?);
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn media_file(folder: &Path, path: String) -> Result<MediaEntry> {
    let file = File::open(folder.join(&path)).with_context(|| format!("cannot read {path}"))?;
    let mut content = Hashing::new(BufReader::new(file));
    std::io::copy(&mut content, &mut std::io::sink())?;
    let (sha256, bytes) = content.finish();
    Ok(MediaEntry { path, bytes, sha256 })
}
