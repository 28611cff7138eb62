//! `siskin canonical-email-blocks …`.

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use siskin_entities::{Actor, CanonicalEmailBlock};
use siskin_services::{
    Error,
    sign_up_blocks::canonical_emails::{self as blocks, EmailHash},
};

use super::{list, report};
use crate::{cli::Options, site::Site};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the hashes of all blocked email addresses, the newest first
    List,
    /// Refuse sign-ups with an email address in all its spellings
    Add(Named),
    /// End the block of an email address
    Remove(Named),
}

#[derive(Debug, Args)]
pub struct Named {
    /// Email address, or the SHA-256 hash of its canonical form
    #[arg(value_name = "EMAIL|HASH")]
    email: String,
}

impl Named {
    fn hash(&self) -> Result<EmailHash> {
        let is_email = self.email.contains('@');
        Ok(if is_email { EmailHash::of_email(&self.email) } else { EmailHash::parse(&self.email) }?)
    }
}

pub fn run(options: &Options, command: &Command) -> Result<()> {
    let site = Site::open(options)?;
    match command {
        Command::List => {
            list(options, |request| site.read(|conn| blocks::list(conn, request)), shown)
        }
        Command::Add(named) => {
            let hash = named.hash()?;
            let added = site.write(move |tx| blocks::create(tx, Actor::Operator, &hash));
            report(options, "Blocked", shown(&added.context("cannot block the email address")?))
        }
        Command::Remove(named) => {
            let hash = named.hash()?;
            let ended = remove(&site, hash).context("cannot unblock the email address")?;
            report(options, "Unblocked", shown(&ended))
        }
    }
}

fn remove(site: &Site, hash: EmailHash) -> Result<CanonicalEmailBlock> {
    site.write(move |tx| {
        let block = blocks::matching(tx, &hash)?.pop().ok_or(Error::NotFound)?;
        blocks::delete(tx, Actor::Operator, block.id)?;
        Ok(block)
    })
}

fn shown(block: &CanonicalEmailBlock) -> (String, Value) {
    (block.hash.clone(), json!({ "id": block.id, "canonical_email_hash": block.hash }))
}
