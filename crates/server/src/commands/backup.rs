//! `siskin backup`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::json;

use crate::{
    archive,
    cli::Options,
    output::{print_json, print_line},
    site::Site,
};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The archive to write, by convention NAME.tar.gz; it contains secrets
    file: PathBuf,
}

pub fn run(options: &Options, arguments: &Arguments) -> Result<()> {
    let site = Site::open(options)?;
    let manifest = archive::write(&site, &arguments.file)?;
    let (rows, media) = (manifest.rows(), manifest.media.len());
    if options.json {
        return print_json(&json!({ "file": arguments.file, "rows": rows, "media": media }));
    }
    print_line(&format!("{}: {rows} rows and {media} media files", arguments.file.display()))
}
