//! Restricts database files to the user that runs the program, because the rows are private.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{Error as IoError, ErrorKind},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::Path,
};

use crate::{Error, Result};

/// Read, write and enter for the owner only.
const FOLDER: u32 = 0o700;
/// Read and write for the owner only.
const FILE: u32 = 0o600;
/// All permissions of the group and of others.
const OTHERS: u32 = 0o077;

/// Creates the folder of the database with mode 0700. Logs a warning if the folder exists and is
/// accessible to other users.
pub(super) fn create_parent_folder(database: &Path) -> Result<()> {
    let Some(folder) = database.parent() else { return Ok(()) };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    if let Ok(found) = fs::metadata(folder) {
        let mode = found.permissions().mode() & 0o777;
        if mode & OTHERS != 0 {
            log::warn!(
                "other users of this machine can read the folder of the database {0} (mode \
                 {mode:04o}): run `chmod 700 {0}`",
                folder.display()
            );
        }
    }
    let created = DirBuilder::new().recursive(true).mode(FOLDER).create(folder);
    created.map_err(|error| failed(folder, error))
}

/// Creates a new, empty database file with mode 0600. `SQLite` gives its other files the same mode.
pub(super) fn create_file(database: &Path) -> Result<()> {
    match private().create_new(true).open(database) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(failed(database, error)),
        _ => Ok(()),
    }
}

/// Returns options that open a file for writing and create it with mode 0600.
pub(super) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).mode(FILE);
    options
}

fn failed(path: &Path, error: IoError) -> Error {
    Error::File(path.display().to_string(), error)
}
