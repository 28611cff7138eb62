//! `siskin accounts release-name`: allows a new account to use the name of a deleted one.

use anyhow::Result;
use clap::Args;
use serde_json::json;
use siskin_services::accounts::retired;

use crate::{
    cli::Options,
    output::{print_json, print_line},
    site::Site,
};

#[derive(Debug, Args)]
pub struct Arguments {
    /// User name of a deleted account
    name: String,
}

pub fn run(options: &Options, site: &Site, arguments: &Arguments) -> Result<()> {
    let name = arguments.name.clone();
    site.write(move |tx| retired::release(tx, &name))?;
    if options.json {
        return print_json(&json!({ "username": arguments.name, "is": "free" }));
    }
    print_line(&format!("The name {} is free", arguments.name))
}
