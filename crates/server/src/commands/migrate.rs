//! `siskin migrate`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use serde_json::json;
use siskin_persistence::{Conn, Error, migrations};

use crate::{
    cli::Options,
    output::{print_json, print_line},
    site::Site,
};

#[derive(Debug, Args)]
pub struct Arguments {
    /// Change nothing; print the pending migrations, and exit with 1 if there are any
    #[arg(long)]
    check: bool,
}

pub fn run(options: &Options, arguments: &Arguments) -> Result<ExitCode> {
    let url = options.resolve()?.database_url;
    if arguments.check {
        let pending = migrations::pending(&mut Conn::open_existing(&url)?)?;
        print_names(options, "pending", &pending)?;
        return Ok(if pending.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    let pending = match Conn::open_existing(&url) {
        Err(Error::NoDatabase(_)) => migrations::known(true)?,
        opened => migrations::pending(&mut opened?)?,
    };
    Site::open_or_create(options)?;
    print_names(options, "migrated", &pending)?;
    Ok(ExitCode::SUCCESS)
}

fn print_names(options: &Options, what: &str, names: &[String]) -> Result<()> {
    if options.json {
        return print_json(&json!({ what: names }));
    }
    if names.is_empty() {
        return print_line("The schema is up to date");
    }
    names.iter().try_for_each(|name| print_line(&format!("{what}: {name}")))
}
