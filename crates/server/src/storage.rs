//! Where an instance keeps uploaded files, as it is told to.

use std::{path::Path, sync::Arc};

use anyhow::{Context, Result};
use siskin_media::{Folder, S3, S3Options, Storage};

/// The bucket, where there is one, else the folder `local`; of a bucket, what is being received
/// lies there too. Nothing is asked of it yet.
///
/// # Errors
/// An option of the bucket is wrong.
pub fn storage(local: &Path, bucket: Option<&S3Options>) -> Result<Arc<dyn Storage>> {
    let Some(options) = bucket else { return Ok(Arc::new(Folder::at(local))) };
    let s3 = S3::new(options, local).with_context(|| unusable(options))?;
    Ok(Arc::new(s3))
}

/// Stores, reads and removes a file in the bucket.
///
/// # Errors
/// What is wrong with the bucket, the key or the way there.
pub async fn check(storage: &dyn Storage, options: &S3Options) -> Result<()> {
    siskin_media::check(storage).await.with_context(|| unusable(options))
}

fn unusable(options: &S3Options) -> String {
    format!("the S3 bucket {} cannot be used", options.bucket)
}
