//! `siskin seed`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::json;

use crate::{cli::Options, output::print_json, seed, site::Site};

#[derive(Debug, Args)]
pub struct Arguments {
    /// A JSON file with `title`, `settings`, `apps` and `accounts` (docs/operating.md)
    file: PathBuf,
}

/// Prints the new accounts as JSON.
pub fn run(options: &Options, arguments: &Arguments) -> Result<()> {
    let file = seed::File::read(&arguments.file)?;
    // Checked before a database is created.
    seed::require_test_hooks(options.resolve()?.test_hooks)?;
    let created = seed::run(&Site::open_or_create(options)?.settled()?, file)?;
    let accounts = created.iter().map(|(id, username)| json!({ "id": id, "username": username }));
    print_json(&json!({ "accounts": accounts.collect::<Vec<_>>() }))
}
