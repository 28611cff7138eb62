//! `siskin accounts release-name`: allows a new account to use the name of a deleted one.

use anyhow::Result;
use clap::Args;
use serde_json::json;
use siskin_services::accounts::retired;

use crate::{
    cli::Options,
    output::{say, say_json},
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
        return say_json(&json!({ "username": arguments.name, "is": "free" }));
    }
    say(&format!("The name {} is free", arguments.name))
}
