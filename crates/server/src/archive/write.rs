//! Writer of archives.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::{BufWriter, Read, Seek, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};
use siskin_media::{FileName, FileType, Place, Storage};
use siskin_persistence::{Conn, archive as rows, migrations, tables};
use siskin_services::media;
use tar::{Builder, Header};

use super::{Hashing, MANIFEST, MEDIA, Manifest, MediaEntry, TABLES, TableEntry, hexadecimal};
use crate::{
    files::{StoredFileReader, blocking},
    output::print_error,
    site::Site,
};

type Tar = Builder<GzEncoder<BufWriter<File>>>;

/// Writes the whole instance to a new file at `path`, readable by its owner alone: it contains
/// password hashes. The rows come from one snapshot, even while a server writes.
///
/// # Errors
/// The file exists already, or something cannot be read or written. It leaves no file then.
pub fn write(site: &Site, path: &Path) -> Result<Manifest> {
    ensure!(!path.exists(), "{} already exists", path.display());
    let draft = draft_path(path);
    let written = write_draft(site, &draft).and_then(|manifest| {
        fs::rename(&draft, path)?;
        Ok(manifest)
    });
    if written.is_err() {
        // An error here would hide the first one.
        drop(fs::remove_file(&draft));
    }
    written
}

/// Returns the path of the draft. The archive gets its final name once it is complete.
fn draft_path(path: &Path) -> PathBuf {
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
    // Files to be deleted already before the rows were read: no row names them.
    let discarded = site.read(media::discarded)?;
    // Rows first: a file is stored before its row, and stays for a while after the row is deleted.
    let tables = dump(site, folder.unwrap_or(Path::new(".")))?;
    let named = site.read(media::named)?;
    let media = site.media()?;
    let files = stored_files(media.storage(), &named, &discarded)?;
    let manifest = Manifest::new(
        migrations::latest()?,
        created_at,
        tables.iter().map(|(entry, _)| entry.clone()).collect(),
        files.iter().map(|(_, entry)| entry.clone()).collect(),
    );
    let mut tar = Builder::new(GzEncoder::new(BufWriter::new(file), Compression::default()));
    append(&mut tar, MANIFEST, &serde_json::to_vec_pretty(&manifest)?[..], None)?;
    for (entry, mut rows) in tables {
        rows.rewind()?;
        append(&mut tar, &format!("{TABLES}/{}.jsonl", entry.name), rows, Some(entry.bytes))?;
    }
    for (name, entry) in &files {
        let content = StoredFileReader::open(media.storage(), name)?
            .with_context(|| format!("{name} was removed during the backup: try again"))?;
        append(&mut tar, &format!("{MEDIA}/{}", entry.path), content, Some(entry.bytes))?;
    }
    tar.into_inner()?.finish()?.into_inner()?.sync_all()?;
    Ok(manifest)
}

/// Adds a file to the tar. `bytes` is its length; `None` if the content is short and can be read
/// into memory.
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
    ensure!(content.bytes == bytes, "{path} was truncated while it was read");
    Ok(())
}

/// Writes every table to a temporary file, all from one snapshot.
fn dump(site: &Site, folder: &Path) -> Result<Vec<(TableEntry, File)>> {
    site.store.read(|conn| {
        tables::archived().map(|table| dump_table(conn, table, folder)).collect::<Result<_>>()
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

/// Returns the stored files except those in `discarded` and exports, in a fixed order.
///
/// # Errors
/// Rows name files, and the storage has none of them.
fn stored_files(
    storage: &dyn Storage,
    named: &BTreeSet<String>,
    discarded: &BTreeSet<String>,
) -> Result<Vec<(FileName, MediaEntry)>> {
    let mut names: Vec<FileName> =
        blocking(storage.list())??.into_iter().map(|file| file.name).collect();
    require_named(storage.place(), &names, named)?;
    // A backup has no rows of exports, and owners can request them again.
    names.retain(|name| name.file_type() != FileType::Export);
    names.retain(|name| !discarded.contains(name.as_str()));
    names.sort_unstable();
    let mut found = Vec::new();
    for name in names {
        // No row of the archive names a file that was deleted in the meantime.
        if let Some(entry) = measured(storage, &name)? {
            found.push((name, entry));
        }
    }
    Ok(found)
}

/// Checks that the storage is the one of the database: it has files that rows name. Prints a
/// warning if some of them are missing.
fn require_named(place: Place<'_>, stored: &[FileName], named: &BTreeSet<String>) -> Result<()> {
    let stored: BTreeSet<&str> = stored.iter().map(FileName::as_str).collect();
    let missing = named.iter().filter(|name| !stored.contains(name.as_str())).count();
    if missing == 0 {
        return Ok(());
    }
    if missing < named.len() {
        print_error(&format!(
            "{missing} of the {} uploaded files that the database names are missing, also in the \
             backup. `siskin doctor` lists them.",
            named.len()
        ));
        return Ok(());
    }
    let place = match place {
        Place::Folder(folder) => format!("the folder {}", folder.display()),
        Place::Bucket(name) => format!("the bucket {name}"),
    };
    bail!(
        "the database names {missing} uploaded files, but {place} has none of them: pass --media, \
         or the options of the bucket, as for the server"
    )
}

fn measured(storage: &dyn Storage, name: &FileName) -> Result<Option<MediaEntry>> {
    let Some(content) = StoredFileReader::open(storage, name)? else { return Ok(None) };
    let mut content = Hashing::new(content);
    std::io::copy(&mut content, &mut std::io::sink())?;
    let (sha256, bytes) = content.finish();
    Ok(Some(MediaEntry { path: name.path(), bytes, sha256 }))
}
