//! `siskin apps …`.

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::json;
use siskin_entities::{Actor, Application, AuditAction, TargetKind};
use siskin_ids::ApplicationId;
use siskin_persistence::Tx;
use siskin_services::{applications, audit};

use crate::{
    cli::Options,
    output::{Listing, print_json, print_line},
    site::Site,
};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the client applications, one per line: id, name and website
    List,
    /// Delete a client application and revoke its tokens
    Delete(Delete),
}

#[derive(Debug, Args)]
pub struct Delete {
    /// The id of the application (not its client_id)
    id: ApplicationId,
}

pub fn run(options: &Options, command: &Command) -> Result<()> {
    let site = Site::open(options)?;
    match *command {
        Command::List => list(options, &site),
        Command::Delete(Delete { id }) => delete(options, &site, id),
    }
}

fn list(options: &Options, site: &Site) -> Result<()> {
    let (mut after, mut listing) = (ApplicationId::new(0), Listing::new(options.json));
    loop {
        let applications = site.read(|conn| applications::list(conn, after))?;
        let Some(last) = applications.last() else { return listing.end() };
        after = last.id;
        for Application { id, name, website, .. } in &applications {
            let line = format!("{id}  {name}  {}", website.as_deref().unwrap_or_default());
            let value = json!({ "id": id, "name": name, "website": website });
            listing.entry(line.trim_end(), &value)?;
        }
    }
}

fn delete(options: &Options, site: &Site, id: ApplicationId) -> Result<()> {
    let unknown = || format!("cannot delete the application {id} (`siskin apps list` lists all)");
    let begin = move |tx: &mut Tx<'_>| {
        let name = audit::beginning(&applications::find(tx, id)?.name);
        let target = audit::target(TargetKind::Application, id.get(), name);
        audit::record(tx, Actor::Operator, AuditAction::Delete, &target)?;
        applications::delete_some(tx, id)
    };
    let mut is_left = site.write(begin).with_context(unknown)?;
    while is_left {
        is_left = site.write(move |tx| applications::delete_some(tx, id))?;
    }
    if options.json {
        return print_json(&json!({ "id": id, "is": "deleted" }));
    }
    print_line(&format!("Deleted the application {id}"))
}
