//! `siskin federation …`.

use anyhow::Result;
use clap::Subcommand;
use serde_json::json;
use siskin_services::{
    federation::{base, keys},
    settings,
};

use crate::{
    cli::Options,
    output::{print_json, print_line},
    site::Site,
};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the federation mode, the address of this server, and how many keys are missing
    Status,
}

pub fn run(options: &Options, command: &Command) -> Result<()> {
    let Command::Status = command;
    let site = Site::open(options)?;
    let (mode, is_fixed, counts) = site.read(|conn| {
        let mode = settings::load(conn, &site.fixed)?.federation_mode;
        Ok((mode, base::is_fixed(conn)?, keys::count(conn)?))
    })?;
    let urls = &site.instance.urls;
    if options.json {
        return print_json(&json!({
            "mode": mode.as_str(),
            "base_url": urls.base(),
            "domain": urls.domain(),
            "fixed": is_fixed,
            "keys": { "made": counts.made, "missing": counts.missing },
        }));
    }
    let fixed = if is_fixed { "fixed: other servers know it" } else { "may still change" };
    print_line(&format!("mode: {}", mode.as_str()))?;
    print_line(&format!("address: {}, handles of {} ({fixed})", urls.base(), urls.domain()))?;
    print_line(&format!("keys: {} made, {} missing", counts.made, counts.missing))
}
