//! The storage for uploaded files, according to the options.

use std::{os::unix::fs::PermissionsExt, path::Path, sync::Arc};

use anyhow::{Context, Result};
use siskin_media::{Folder, S3, S3Options, Storage};

/// Returns the bucket if one is configured, else the folder `local`. A bucket uses the folder for
/// uploads in progress. This function does not connect to the bucket.
///
/// # Errors
/// An option of the bucket is wrong.
pub fn storage(local: &Path, bucket: Option<&S3Options>) -> Result<Arc<dyn Storage>> {
    let Some(options) = bucket else { return Ok(Arc::new(Folder::at(local))) };
    let s3 = S3::new(options, local).with_context(|| unusable(options))?;
    Ok(Arc::new(s3))
}

/// Stores, reads and deletes a test file in the bucket or, without one, in the folder. Logs a
/// warning if other users can access the folder.
///
/// # Errors
/// The problem with the folder, or with the bucket, the key or the connection.
pub async fn check(storage: &dyn Storage, local: &Path, bucket: Option<&S3Options>) -> Result<()> {
    let mode = local.metadata().map_or(0, |found| found.permissions().mode() & 0o777);
    if mode & 0o077 != 0 {
        log::warn!(
            "other users of this machine can access the folder of uploaded files {0} (mode \
             {mode:04o}): run `chmod 700 {0}`",
            local.display()
        );
    }
    siskin_media::check(storage).await.with_context(|| match bucket {
        Some(options) => unusable(options),
        None => format!("cannot use the folder of uploaded files {}", local.display()),
    })
}

fn unusable(options: &S3Options) -> String {
    format!("cannot use the S3 bucket {}", options.bucket)
}
