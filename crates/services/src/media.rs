//! Media files, and the rows that refer to them. Files are stored first, so no row refers to a
//! missing file. A job deletes files later, after the last row that referred to them is gone.

use std::{collections::BTreeSet, time::Duration};

use serde::{Deserialize, Serialize};
use siskin_entities::Picture;
use siskin_media::Error as MediaError;
use siskin_persistence::{Conn, Tx, files, jobs as rows};

use crate::{
    Error, Field, FieldError, Result,
    jobs::{self, Job},
};

pub use siskin_persistence::files::Audience;

/// How long a file is kept after its last row is gone, so that a backup in progress still finds it.
/// It is no longer served during this time.
pub const FILE_RETENTION: Duration = Duration::from_secs(3600);

/// Job that deletes files that no row refers to any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeleteFiles {
    /// Names of the files.
    pub files: Vec<String>,
}

impl Job for DeleteFiles {
    const KIND: &'static str = "media.delete_files";
}

/// Enqueues the deletion of the files of pictures that no row refers to after this transaction.
///
/// # Errors
/// Storage errors only.
pub fn discard(tx: &mut Tx<'_>, pictures: impl IntoIterator<Item = Picture>) -> Result<()> {
    discard_files(tx, pictures.into_iter().flat_map(Picture::into_files))
}

/// Enqueues the deletion of files by name.
///
/// # Errors
/// Storage errors only.
pub fn discard_files(tx: &mut Tx<'_>, files: impl IntoIterator<Item = String>) -> Result<()> {
    let files: Vec<String> = files.into_iter().collect();
    if files.is_empty() {
        return Ok(());
    }
    let when = tx.now().after(FILE_RETENTION);
    jobs::enqueue_at(tx, &DeleteFiles { files }, when)?;
    Ok(())
}

/// Returns the audience of a file; `None` if it is not served.
///
/// # Errors
/// Storage errors only.
pub fn audience(conn: &mut Conn, file: &str) -> Result<Option<Audience>> {
    Ok(files::audience(conn, file)?)
}

/// Returns all files that rows refer to.
///
/// # Errors
/// Storage errors only.
pub fn named(conn: &mut Conn) -> Result<BTreeSet<String>> {
    Ok(files::named(conn)?)
}

/// Returns the files that no row refers to any more, but that a job has yet to delete.
///
/// # Errors
/// Storage errors only.
pub fn discarded(conn: &mut Conn) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for payload in rows::payloads(conn, DeleteFiles::KIND)? {
        found.extend(jobs::read::<DeleteFiles>(&payload)?.files);
    }
    Ok(found)
}

/// Returns those of these files that are still needed: rows refer to them, or a job has yet to
/// delete them.
///
/// # Errors
/// Storage errors only.
pub fn needed(conn: &mut Conn, names: &[String]) -> Result<BTreeSet<String>> {
    let mut needed = files::referenced_of(conn, names)?;
    if names.iter().any(|name| !needed.contains(name)) {
        needed.append(&mut discarded(conn)?);
    }
    Ok(needed)
}

/// Converts an error of the media storage into an error for the uploader. `what` is the name of the
/// picture at the start of a sentence: `Avatar`.
#[must_use]
pub fn upload_error(what: &str, error: MediaError) -> Error {
    match error {
        MediaError::Refused(refusal) => Error::validation(format!("{what} {refusal}")),
        MediaError::Storage(_) => Error::Unavailable(Box::new(error)),
        MediaError::Encoding(_) | MediaError::GivenUp => Error::internal(error),
    }
}

/// Converts an error of the media storage, for a picture that is a field of a form.
#[must_use]
pub fn upload_field_error(name: &'static str, error: MediaError) -> Error {
    match error {
        MediaError::Refused(refusal) => Error::InvalidFields(vec![Field {
            name,
            error: FieldError::Invalid,
            description: refusal.to_string(),
        }]),
        error => upload_error(name, error),
    }
}

#[cfg(test)]
mod tests {
    use siskin_media::Refusal;

    use super::*;

    #[test]
    fn upload_errors_explain_refusals_and_hide_storage_details() {
        let refused = upload_error("Avatar", Refusal::Empty.into());
        assert_eq!(refused.to_string(), "Validation failed: Avatar is empty");
        let field = upload_field_error("avatar", Refusal::Empty.into());
        assert_eq!(field.to_string(), refused.to_string());
        let full = upload_error("Avatar", std::io::Error::other("/data is full").into());
        assert!(matches!(full, Error::Unavailable(_)) && !full.to_string().contains("/data"));
    }
}
