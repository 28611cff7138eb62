//! Compares stored files with the rows that name them.

use std::{collections::BTreeSet, time::Duration};

use anyhow::Result;
use siskin_media::{FileName, Media};
use siskin_services::media;

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
    let listed = blocking(media_of(site).storage().list())??;
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
pub fn remove(site: &Site, files: &[FileName]) -> Result<()> {
    let media = media_of(site);
    for file in files {
        blocking(media.storage().delete(file))??;
    }
    Ok(())
}

fn media_of(site: &Site) -> Media {
    Media::in_folder(&site.options.media_dir)
}

/// Waits for work on files in a command, which has nothing else to do.
///
/// # Errors
/// No thread is to be had for it.
pub fn blocking<T>(work: impl Future<Output = T>) -> Result<T> {
    Ok(tokio::runtime::Builder::new_current_thread().build()?.block_on(work))
}
