//! Reader of archives.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, BufRead, BufReader, Lines},
    path::{Component, Path},
};

use anyhow::{Context, Result, bail, ensure};
use flate2::read::GzDecoder;
use siskin_media::{FileName, Media};
use siskin_persistence::{Tx, archive as rows, migrations};
use tar::{Archive, Entries, Entry};

use super::{Hashing, MANIFEST, MEDIA, Manifest, TABLES};
use crate::files::{self, blocking};

type Tar = Archive<GzDecoder<BufReader<File>>>;
type Content<'t> = Entry<'t, GzDecoder<BufReader<File>>>;

/// Number of rows that one statement loads.
const ROWS_AT_ONCE: usize = 200;

fn open(path: &Path) -> Result<Tar> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Archive::new(GzDecoder::new(BufReader::new(file))))
}

/// Reads the whole archive and returns its manifest, if all listed files are present and unchanged,
/// and this program can restore it.
///
/// # Errors
/// The archive is damaged, or another release must restore it.
pub fn verify(path: &Path) -> Result<Manifest> {
    let mut tar = open(path)?;
    let mut entries = tar.entries()?;
    let manifest = manifest(&mut entries).context("the file is not a backup of an instance")?;
    manifest.require(&migrations::latest()?)?;
    let tables = manifest.tables.iter().map(|table| {
        (format!("{TABLES}/{}.jsonl", table.name), (table.sha256.as_str(), table.bytes))
    });
    let media = manifest
        .media
        .iter()
        .map(|file| (format!("{MEDIA}/{}", file.path), (file.sha256.as_str(), file.bytes)));
    let mut expected: HashMap<String, (&str, u64)> = tables.chain(media).collect();
    for entry in entries {
        let entry = entry?;
        let name = name(&entry)?;
        let expected = expected.remove(&name);
        let (sha256, bytes) =
            expected.with_context(|| format!("the manifest does not list {name}"))?;
        let mut content = Hashing::new(entry);
        io::copy(&mut content, &mut io::sink())?;
        ensure!(content.finish() == (sha256.to_owned(), bytes), "{name} is damaged");
    }
    if let Some(missing) = expected.keys().next() {
        bail!("{missing} is missing");
    }
    Ok(manifest)
}

fn manifest(entries: &mut Entries<'_, GzDecoder<BufReader<File>>>) -> Result<Manifest> {
    let first = entries.next().context("the file is empty")??;
    ensure!(name(&first)? == MANIFEST, "the file does not begin with {MANIFEST}");
    Ok(serde_json::from_reader(first)?)
}

/// Returns the path of an entry, which may contain plain names only: an archive must not write
/// outside of its target folder.
fn name(entry: &Content<'_>) -> Result<String> {
    let path = entry.path()?;
    let is_relative = path.components().all(|part| matches!(part, Component::Normal(_)));
    let text = path.to_str().filter(|_| is_relative && entry.header().entry_type().is_file());
    Ok(text.with_context(|| format!("invalid path {} in the backup", path.display()))?.to_owned())
}

/// Stores the media of a verified archive, then loads the rows by `write`, which runs a
/// transaction. If that fails, it deletes the media again.
///
/// # Errors
/// The storage already contains files, or the storage or the database fails.
pub fn fill(path: &Path, media: &Media, write: impl FnOnce(Loading) -> Result<()>) -> Result<()> {
    ensure!(
        blocking(media.storage().list())??.is_empty(),
        "the storage for uploaded files is not empty"
    );
    let mut stored = Vec::new();
    let filled = store_media(path, media, &mut stored)
        .and_then(|()| write(Loading { path: path.to_owned() }));
    if filled.is_err() {
        // An error here would hide the first one.
        drop(files::remove(media, &stored));
    }
    filled
}

/// Stores the media files and records them in `stored`. Ignores files of the archive that are not
/// media.
fn store_media(path: &Path, media: &Media, stored: &mut Vec<FileName>) -> Result<()> {
    for entry in open(path)?.entries()? {
        let mut entry = entry?;
        let name = name(&entry)?;
        let relative = name.strip_prefix(MEDIA).and_then(|rest| rest.strip_prefix('/'));
        let Some(file) = relative.and_then(FileName::at) else { continue };
        let mut draft = tempfile::NamedTempFile::new_in(media.storage().staging_dir()?)?;
        io::copy(&mut entry, &mut draft)?;
        stored.push(file.clone());
        blocking(media.storage().adopt(&file, draft.into_temp_path()))??;
    }
    Ok(())
}

/// Loads the rows of an archive inside a transaction. Can be repeated if the transaction is
/// retried.
#[derive(Debug, Clone)]
pub struct Loading {
    path: std::path::PathBuf,
}

impl Loading {
    /// Loads all rows and checks their number.
    ///
    /// # Errors
    /// The database is not empty, or the rows are inconsistent.
    pub fn run(&self, tx: &mut Tx<'_>) -> Result<()> {
        let mut tar = open(&self.path)?;
        let mut entries = tar.entries()?;
        let manifest = manifest(&mut entries)?;
        let mut batches = Batches { entries, table: None };
        rows::load_all(tx, || batches.next())?;
        for table in &manifest.tables {
            let loaded = rows::count(tx, &table.name)?;
            ensure!(
                u64::try_from(loaded)? == table.rows,
                "the table {} has {loaded} rows, but the backup has {}",
                table.name,
                table.rows
            );
        }
        Ok(())
    }
}

/// The rows of an archive in batches, each from one table.
struct Batches<'t> {
    entries: Entries<'t, GzDecoder<BufReader<File>>>,
    table: Option<(String, Lines<BufReader<Content<'t>>>)>,
}

impl Batches<'_> {
    fn next(&mut self) -> Result<Option<(String, Vec<String>)>> {
        loop {
            if let Some((table, lines)) = &mut self.table {
                let batch: Vec<String> = lines.take(ROWS_AT_ONCE).collect::<io::Result<_>>()?;
                if !batch.is_empty() {
                    return Ok(Some((table.clone(), batch)));
                }
            }
            let Some(entry) = self.entries.next() else { return Ok(None) };
            let entry = entry?;
            let name = name(&entry)?;
            let table = name.strip_prefix(TABLES).and_then(|rest| rest.strip_prefix('/'));
            self.table = table
                .and_then(|file| file.strip_suffix(".jsonl"))
                .map(|table| (table.to_owned(), BufReader::new(entry).lines()));
        }
    }
}
