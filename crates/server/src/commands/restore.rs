//! `siskin restore`.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use serde_json::json;
use siskin_persistence::archive as rows;

use crate::{
    archive,
    cli::Options,
    output::{print_json, print_line},
    site::Site,
};

#[derive(Debug, Args)]
pub struct Arguments {
    /// An archive that `siskin backup` wrote
    file: PathBuf,
}

pub fn run(options: &Options, arguments: &Arguments) -> Result<()> {
    let manifest = archive::verify(&arguments.file)?;
    let site = Site::open_exclusively(options)?;
    let empty = site.read(|conn| Ok(rows::is_empty(conn)?))?;
    ensure!(empty, "the database is not empty: restore into a new one");
    archive::fill(&arguments.file, &site.media()?, |loading| {
        site.store.write(move |tx| loading.run(tx))
    })?;
    let (rows, media) = (manifest.rows(), manifest.media.len());
    if options.json {
        return print_json(&json!({ "file": arguments.file, "rows": rows, "media": media }));
    }
    print_line(&format!("Restored {rows} rows and {media} media files of {}", manifest.created_at))
}
