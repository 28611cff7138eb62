//! `siskin apps …`.

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::json;
use siskin_ids::ApplicationId;
use siskin_services::applications;

use crate::{
    cli::Options,
    output::{say, say_json},
    site::Site,
};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Remove a client application; its tokens end
    Delete(Delete),
}

#[derive(Debug, Args)]
pub struct Delete {
    /// The id of the application, which is not its client_id
    id: ApplicationId,
}

pub fn run(options: &Options, command: &Command) -> Result<()> {
    let Command::Delete(Delete { id }) = *command;
    let site = Site::open(options)?;
    site.write(move |tx| applications::delete(tx, id))
        .with_context(|| format!("the application {id}"))?;
    if options.json {
        return say_json(&json!({ "id": id, "is": "deleted" }));
    }
    say(&format!("The application {id} is deleted"))
}
