//! `siskin media`: copies uploaded files between the folder and a bucket.

use std::{collections::BTreeSet, fs, path::PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Subcommand;
use serde_json::json;
use siskin_media::{FileName, Folder, Storage};
use tempfile::NamedTempFile;

use crate::{
    cli::Options,
    files::blocking,
    output::{print_json, print_line},
    site::Site,
    storage::storage,
};

/// The commands for uploaded files.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Copy all files of the folder to the configured bucket, except those that it already has
    CopyToBucket,
    /// Copy all files of the bucket to the folder, except those that it already has
    CopyToFolder,
}

pub fn run(options: &Options, command: &Command) -> Result<()> {
    // Reports a wrong option before anything is copied.
    let resolved = Site::open(options)?.options;
    let bucket = resolved.bucket.as_ref();
    let bucket =
        bucket.context("no bucket is configured: --s3-bucket (SISKIN_S3_BUCKET) is missing")?;
    let missing =
        format!("the folder {} does not exist: check --media", resolved.media_dir.display());
    if matches!(command, Command::CopyToBucket) {
        ensure!(resolved.media_dir.is_dir(), missing);
    }
    let folder = Folder::at(&resolved.media_dir);
    let bucket = storage(&resolved.media_dir, Some(bucket))?;
    let (copied, there) = match command {
        Command::CopyToBucket => copy(&folder, &*bucket)?,
        Command::CopyToFolder => copy(&*bucket, &folder)?,
    };
    if options.json {
        return print_json(&json!({ "copied": copied, "there": there }));
    }
    print_line(&format!("{copied} copied, {there} already present"))
}

/// Copies missing files. Returns the number of copied and of existing files.
fn copy(from: &dyn Storage, to: &dyn Storage) -> Result<(usize, usize)> {
    let names = |storage: &dyn Storage| -> Result<BTreeSet<FileName>> {
        Ok(blocking(storage.list())??.into_iter().map(|file| file.name).collect())
    };
    let (source, there) = (names(from)?, names(to)?);
    let missing: Vec<&FileName> = source.difference(&there).collect();
    let staging_dir = to.staging_dir()?;
    for name in &missing {
        copy_file(from, to, staging_dir.clone(), name)
            .with_context(|| format!("cannot copy {name}"))?;
    }
    Ok((missing.len(), source.len() - missing.len()))
}

fn copy_file(
    from: &dyn Storage,
    to: &dyn Storage,
    staging_dir: PathBuf,
    name: &FileName,
) -> Result<()> {
    let local = blocking(from.local(name))??;
    let draft = NamedTempFile::new_in(staging_dir)?.into_temp_path();
    fs::copy(local.path(), &draft)?;
    blocking(to.adopt(name, draft))??;
    Ok(())
}
