//! `siskin email-domain-blocks …`.

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use siskin_entities::{Actor, EmailDomainBlock};
use siskin_services::sign_up_blocks::email_domains as blocks;

use super::{list, report};
use crate::{cli::Options, site::Site};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print all blocked email domains, the newest first
    List,
    /// Refuse sign-ups with email addresses at a domain and its subdomains
    Add(Named),
    /// End the block of an email domain
    Remove(Named),
}

#[derive(Debug, Args)]
pub struct Named {
    domain: String,
}

pub fn run(options: &Options, command: &Command) -> Result<()> {
    let site = Site::open(options)?;
    match command {
        Command::List => list(
            options,
            |request| {
                let now = site.store.now();
                site.read(|conn| blocks::list(conn, request, now))
            },
            shown,
        ),
        Command::Add(Named { domain }) => {
            let typed = domain.clone();
            let added = site.write(move |tx| blocks::create(tx, Actor::Operator, &typed));
            report(
                options,
                "Blocked",
                shown(&added.with_context(|| format!("cannot block {domain}"))?),
            )
        }
        Command::Remove(Named { domain }) => {
            let ended =
                remove(&site, domain).with_context(|| format!("cannot unblock {domain}"))?;
            report(options, "Unblocked", shown(&ended))
        }
    }
}

fn remove(site: &Site, domain: &str) -> Result<EmailDomainBlock> {
    let typed = domain.to_owned();
    site.write(move |tx| {
        let now = tx.now();
        let block = blocks::of_domain(tx, &typed, now)?;
        blocks::delete(tx, Actor::Operator, block.id)?;
        Ok(block)
    })
}

fn shown(block: &EmailDomainBlock) -> (String, Value) {
    let value = json!({
        "id": block.id,
        "domain": block.domain,
        "created_at": block.created_at.to_string(),
        "refused": block.history.iter().map(|day| day.uses).sum::<i64>(),
    });
    (block.domain.clone(), value)
}
