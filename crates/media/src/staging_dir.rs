//! Staging directory of a storage: the local folder for files that are received or processed.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::DirBuilderExt,
    path::Path,
    time::{Duration, SystemTime},
};

/// Age at which a file in the staging directory counts as abandoned.
pub(crate) const ABANDONED_AFTER: Duration = Duration::from_secs(3600);

/// Name of the staging directory inside the folder of a storage.
pub(crate) const NAME: &str = "unfinished";

/// Mode of files: read and write, for the owner only. Only the server serves them.
pub(crate) const FILE: u32 = 0o600;
/// Mode of folders: for the owner only.
const FOLDER: u32 = 0o700;

/// Creates a folder and its missing parents, accessible for the owner only.
///
/// # Errors
/// Returns errors of the file system.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER).create(path)
}

/// Deletes abandoned files, which a terminated process left behind, and returns their number.
///
/// # Errors
/// Returns errors of the file system.
pub(crate) fn sweep_staging_dir(staging_dir: &Path) -> io::Result<usize> {
    let mut removed = 0;
    for entry in entries(staging_dir)? {
        let path = entry?.path();
        if is_abandoned(&path)? {
            removed += usize::from(none_if_missing(fs::remove_file(&path))?.is_some());
        }
    }
    Ok(removed)
}

fn is_abandoned(path: &Path) -> io::Result<bool> {
    let Some(found) = none_if_missing(fs::metadata(path))? else { return Ok(false) };
    let age = SystemTime::now().duration_since(found.modified()?).unwrap_or_default();
    Ok(age > ABANDONED_AFTER)
}

/// Converts the error for a missing file to `None`.
pub(crate) fn none_if_missing<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the entries of a folder, or none if it does not exist.
pub(crate) fn entries(folder: &Path) -> io::Result<impl Iterator<Item = io::Result<fs::DirEntry>>> {
    Ok(none_if_missing(fs::read_dir(folder))?.into_iter().flatten())
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use tempfile::TempDir;

    use super::*;

    #[test]
    fn abandoned_files_are_removed() {
        let staging_dir = TempDir::new().unwrap();
        let (old, young) = (staging_dir.path().join("old"), staging_dir.path().join("young"));
        for path in [&old, &young] {
            fs::write(path, "x").unwrap();
        }
        let long_ago = SystemTime::now() - 2 * ABANDONED_AFTER;
        File::options().write(true).open(&old).unwrap().set_modified(long_ago).unwrap();
        assert_eq!(sweep_staging_dir(staging_dir.path()).unwrap(), 1);
        assert!(!old.exists() && young.exists());
        assert_eq!(sweep_staging_dir(&staging_dir.path().join("missing")).unwrap(), 0);
    }
}
