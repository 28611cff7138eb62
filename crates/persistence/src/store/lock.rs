//! Lock files beside a `SQLite` database, which keep processes from interfering. The operating
//! system releases a lock when its process ends in any way. The empty files stay.

use std::{
    fs::{File, TryLockError},
    path::{Path, PathBuf},
};

use super::permissions;
use crate::{Error, Result};

/// Waits until no other process creates or migrates the database. The lock is held until dropped.
pub(super) fn opening(database: &Path) -> Result<File> {
    let path = sibling(database, "-open.lock");
    let file = open(&path)?;
    file.lock().map_err(|error| lock_error(&path, error))?;
    Ok(file)
}

/// Makes this process the only server on the database. The lock is held until dropped.
///
/// # Errors
/// [`Error::InUse`] if another server holds the lock.
pub(super) fn serving(database: &Path) -> Result<File> {
    let path = sibling(database, "-serve.lock");
    let file = open(&path)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::InUse(database.display().to_string())),
        Err(TryLockError::Error(error)) => Err(lock_error(&path, error)),
    }
}

fn sibling(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn open(path: &Path) -> Result<File> {
    permissions::private()
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(|error| lock_error(path, error))
}

fn lock_error(path: &Path, error: std::io::Error) -> Error {
    Error::LockFile(path.display().to_string(), error)
}
