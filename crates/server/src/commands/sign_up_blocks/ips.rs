//! `siskin ip-blocks …`.

use anyhow::{Context, Result};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};
use siskin_entities::{Actor, IpBlock, IpBlockSeverity};
use siskin_services::sign_up_blocks::ips::{self as blocks, IpBlockChanges, IpBlockParams};

use super::{list, report};
use crate::{cli::Options, site::Site};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print all blocked networks, the newest first
    List,
    /// Block a network
    Add(Add),
    /// End the block of a network
    Remove(Named),
}

#[derive(Debug, Args)]
pub struct Add {
    /// An address or a network, such as 192.0.2.0/24
    #[arg(value_name = "NETWORK")]
    ip: String,
    /// What it refuses
    #[arg(long, value_enum, default_value_t = Severity::SignUpBlock)]
    severity: Severity,
    /// Comment for staff
    #[arg(long, default_value = "")]
    comment: String,
    /// Number of seconds after which the block has no effect
    #[arg(long, value_name = "SECONDS")]
    expires_in: Option<i64>,
}

#[derive(Debug, Args)]
pub struct Named {
    /// An address or a network, such as 192.0.2.0/24
    #[arg(value_name = "NETWORK")]
    ip: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Severity {
    /// Sign-ups wait for the approval of the staff
    SignUpRequiresApproval,
    /// Sign-ups are refused
    SignUpBlock,
    /// All requests are refused
    NoAccess,
}

impl From<Severity> for IpBlockSeverity {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::SignUpRequiresApproval => Self::SignUpRequiresApproval,
            Severity::SignUpBlock => Self::SignUpBlock,
            Severity::NoAccess => Self::NoAccess,
        }
    }
}

pub fn run(options: &Options, command: &Command) -> Result<()> {
    let site = Site::open(options)?;
    match command {
        Command::List => {
            list(options, |request| site.read(|conn| blocks::list(conn, request)), shown)
        }
        Command::Add(add) => {
            let changes = add.changes()?;
            let added = site.write(move |tx| blocks::create(tx, Actor::Operator, &changes, None));
            let added = added.with_context(|| format!("cannot block {}", add.ip))?;
            report(options, "Blocked", shown(&added))
        }
        Command::Remove(Named { ip }) => {
            let ended = remove(&site, ip).with_context(|| format!("cannot unblock {ip}"))?;
            report(options, "Unblocked", shown(&ended))
        }
    }
}

impl Add {
    fn changes(&self) -> Result<IpBlockChanges> {
        let severity = IpBlockSeverity::from(self.severity);
        Ok(IpBlockChanges::new(IpBlockParams {
            ip: Some(self.ip.clone()),
            severity: Some(severity.as_str().to_owned()),
            comment: Some(self.comment.clone()),
            expires_in: self.expires_in.map(Some),
        })?)
    }
}

fn remove(site: &Site, ip: &str) -> Result<IpBlock> {
    let typed = ip.to_owned();
    site.write(move |tx| {
        let block = blocks::of_network(tx, &typed)?;
        blocks::delete(tx, Actor::Operator, block.id)?;
        Ok(block)
    })
}

fn shown(block: &IpBlock) -> (String, Value) {
    let mut line = format!("{} {}", block.network, block.severity.as_str());
    if let Some(end) = block.expires_at {
        line.push_str(&format!(" until {end}"));
    }
    if let Some(comment) = block.comment.lines().next() {
        line.push_str(&format!(": {comment}"));
    }
    let value = json!({
        "id": block.id,
        "ip": block.network.to_string(),
        "severity": block.severity.as_str(),
        "comment": block.comment,
        "created_at": block.created_at.to_string(),
        "expires_at": block.expires_at.map(|end| end.to_string()),
    });
    (line, value)
}
