//! The desk of a storage: the local folder for files that are being written, received or worked on.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::DirBuilderExt,
    path::Path,
    time::{Duration, SystemTime},
};

/// After this long nobody is still writing it.
pub(crate) const ABANDONED: Duration = Duration::from_secs(3600);

/// The name of the desk inside of the folder of a storage.
pub(crate) const NAME: &str = "unfinished";

/// The mode of files: read and write, for the owner alone. They are served by the server only.
pub(crate) const FILE: u32 = 0o600;
/// The mode of folders: for the owner alone.
const FOLDER: u32 = 0o700;

/// Makes a folder, and those above it that are missing, for the owner alone.
///
/// # Errors
/// Those of the file system.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER).create(path)
}

/// Removes what was being written when a program died, and counts it.
///
/// # Errors
/// Those of the file system.
pub(crate) fn sweep_desk(desk: &Path) -> io::Result<usize> {
    let mut removed = 0;
    for entry in entries(desk)? {
        let path = entry?.path();
        if is_abandoned(&path)? {
            removed += usize::from(there(fs::remove_file(&path))?.is_some());
        }
    }
    Ok(removed)
}

fn is_abandoned(path: &Path) -> io::Result<bool> {
    let Some(found) = there(fs::metadata(path))? else { return Ok(false) };
    let age = SystemTime::now().duration_since(found.modified()?).unwrap_or_default();
    Ok(age > ABANDONED)
}

/// None for what is not there, or no longer.
pub(crate) fn there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// What is in a folder; nothing where it is missing.
pub(crate) fn entries(folder: &Path) -> io::Result<impl Iterator<Item = io::Result<fs::DirEntry>>> {
    Ok(there(fs::read_dir(folder))?.into_iter().flatten())
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use tempfile::TempDir;

    use super::*;

    #[test]
    fn what_nobody_is_writing_any_more_goes() {
        let desk = TempDir::new().unwrap();
        let (old, young) = (desk.path().join("old"), desk.path().join("young"));
        for path in [&old, &young] {
            fs::write(path, "x").unwrap();
        }
        let long_ago = SystemTime::now() - 2 * ABANDONED;
        File::options().write(true).open(&old).unwrap().set_modified(long_ago).unwrap();
        assert_eq!(sweep_desk(desk.path()).unwrap(), 1);
        assert!(!old.exists() && young.exists());
        assert_eq!(sweep_desk(&desk.path().join("missing")).unwrap(), 0);
    }
}
