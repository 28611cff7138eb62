//! `siskin audit`.

use anyhow::{Context as _, Result};
use clap::Args;
use serde_json::{Value, json};
use siskin_entities::{Actor, AuditEntry, Cursor, PageRequest, TargetKind};
use siskin_ids::AccountId;
use siskin_services::{
    accounts,
    audit::{self, AuditSelection},
};

use crate::{cli::Options, output::Listing, site::Site};

#[derive(Debug, Args)]
pub struct Arguments {
    /// How many entries to print, the newest ones
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: u32,
    /// Only what this member of staff did
    #[arg(long, value_name = "NAME")]
    account: Option<String>,
    /// Only entries about this record, such as account:115600000000000001 or role:-99
    #[arg(long, value_name = "KIND:ID", value_parser = parse_target, allow_hyphen_values = true)]
    target: Option<(TargetKind, i64)>,
}

fn parse_target(text: &str) -> Result<(TargetKind, i64), String> {
    let parsed = text
        .split_once(':')
        .and_then(|(kind, id)| Some((TargetKind::from_name(kind)?, id.parse().ok()?)));
    parsed.ok_or_else(|| {
        let kinds: Vec<&str> = TargetKind::ALL.iter().map(|kind| kind.as_str()).collect();
        format!("must be KIND:ID with one of the kinds {}", kinds.join(", "))
    })
}

pub fn run(options: &Options, arguments: &Arguments) -> Result<()> {
    let site = Site::open(options)?;
    let account = arguments.account.as_deref().map(|name| account(&site, name)).transpose()?;
    let selection = AuditSelection { account, target: arguments.target };
    let request = PageRequest { cursor: Cursor::default(), limit: i64::from(arguments.limit) };
    let found = site.read(|conn| audit::list(conn, selection, request))?;
    let mut listing = Listing::new(options.json);
    found.items.iter().try_for_each(|entry| listing.entry(&line(entry), &to_json(entry)))?;
    listing.end()
}

fn account(site: &Site, name: &str) -> Result<AccountId> {
    let found = site.read(|conn| accounts::lookup(conn, &site.instance, name));
    Ok(found.with_context(|| format!("cannot find the account {name}"))?.id)
}

fn line(entry: &AuditEntry) -> String {
    let actor = match entry.actor {
        Actor::Staff(_) => format!("@{}", entry.actor_name),
        Actor::Operator => "operator".to_owned(),
    };
    let target = &entry.target;
    let id = target.id.map(|id| format!(":{id}")).unwrap_or_default();
    let (time, action, kind) = (entry.created_at, entry.action.as_str(), target.kind.as_str());
    format!("{time}  {actor}  {action}  {kind}{id}  {}", target.name).trim_end().to_owned()
}

fn to_json(entry: &AuditEntry) -> Value {
    let account = entry.actor.account();
    json!({
        "id": entry.id,
        "created_at": entry.created_at.to_string(),
        "account": account.map(|id| json!({ "id": id, "username": entry.actor_name })),
        "action": entry.action.as_str(),
        "target": {
            "kind": entry.target.kind.as_str(),
            "id": entry.target.id.map(|id| id.to_string()),
            "name": entry.target.name,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_parsed_by_kind_and_id() {
        assert_eq!(parse_target("role:-99"), Ok((TargetKind::Role, -99)));
        for wrong in ["role", "role:", "role:x", "thing:1", ":1"] {
            assert!(parse_target(wrong).unwrap_err().contains("announcement"), "{wrong}");
        }
    }
}
