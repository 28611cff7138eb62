//! `siskin tokens …`.

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::json;
use siskin_policy::scopes::Scopes;
use siskin_services::{accounts, tokens};

use crate::{cli::Options, output::say_json, site::Site};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make an access token for any account, whatever its state, and print it as JSON: role and
    /// state decide at the request
    Create(Create),
}

#[derive(Debug, Args)]
pub struct Create {
    /// User name
    #[arg(long, value_name = "NAME")]
    account: String,
    /// Separated by spaces
    #[arg(long, default_value = "read")]
    scopes: String,
}

pub fn run(options: &Options, command: &Command) -> Result<()> {
    let Command::Create(create) = command;
    let scopes = Scopes::parse(&create.scopes)?;
    let site = Site::open(options)?;
    let account = site
        .read(|conn| accounts::lookup(conn, &site.instance, &create.account))
        .with_context(|| format!("the account {}", create.account))?;
    let token = site.write(move |tx| tokens::issue(tx, account.id, &scopes))?;
    say_json(&json!({ "access_token": token }))
}
