//! Output about accounts for the operator.

use anyhow::Result;
use serde_json::{Value, json};
use siskin_entities::Account;
use siskin_ids::AccountId;
use siskin_services::accounts::{self, UserRecord, migration};

use crate::{
    cli::Options,
    output::{Listing, print_json, print_line},
    site::Site,
};

/// Prints all local accounts.
pub fn list(options: &Options, site: &Site) -> Result<()> {
    let (mut after, mut listing) = (AccountId::new(0), Listing::new(options.json));
    loop {
        let (accounts, load_records) = site.read(|conn| {
            let accounts = accounts::local(conn, after)?;
            let ids: Vec<AccountId> = accounts.iter().map(|account| account.id).collect();
            let load_records = accounts::load_records(conn, &ids)?;
            Ok((accounts, load_records))
        })?;
        let Some(last) = accounts.last() else { return listing.end() };
        after = last.id;
        for account in &accounts {
            let standing = load_records.get(&account.id);
            listing.entry(&line(account, standing), &summary(account, standing))?;
        }
    }
}

/// Prints one account of any server.
pub fn one(options: &Options, site: &Site, account: &Account) -> Result<()> {
    let id = account.id;
    let (standing, aliases) = site.read(|conn| {
        Ok((accounts::load_records(conn, &[id])?.remove(&id), migration::aliases(conn, id)?))
    })?;
    let standing = standing.as_ref();
    let mut value = summary(account, standing);
    let more = json!({
        "acct": account.acct(),
        "display_name": account.display_name,
        "uri": account.uri,
        "email": standing.map(|standing| &standing.email),
        "created_at": account.created_at.to_string(),
        "last_active_at": standing.and_then(|standing| standing.last_active_at.map(text)),
        "last_status_at": account.last_status_at.map(text),
        "statuses_count": account.statuses_count,
        "followers_count": account.followers_count,
        "following_count": account.following_count,
        "moved": account.moved.as_ref().map(|target| target.acct()),
        "aliases": aliases,
    });
    if let (Value::Object(all), Value::Object(more)) = (&mut value, more) {
        all.extend(more);
    }
    if options.json {
        return print_json(&value);
    }
    print_line(&line(account, standing))?;
    let Value::Object(all) = value else { return Ok(()) };
    let entries =
        all.iter().filter(|(name, _)| !matches!(name.as_str(), "id" | "username" | "role"));
    for (name, value) in entries {
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::String(text) if text.is_empty() => {}
            Value::Array(list) if list.is_empty() => {}
            Value::String(text) => print_line(&format!("    {name}: {text}"))?,
            other => print_line(&format!("    {name}: {other}"))?,
        }
    }
    Ok(())
}

fn text(time: siskin_entities::Timestamp) -> String {
    time.to_string()
}

fn summary(account: &Account, standing: Option<&UserRecord>) -> Value {
    json!({
        "id": account.id,
        "username": account.username,
        "role": account.role.as_ref().map(|role| &role.name),
        "reachable": account.state.reachable,
        "unconfirmed": standing.is_some_and(|standing| !standing.confirmed),
        "unapproved": standing.is_some_and(|standing| !standing.approved),
        "disabled": standing.is_some_and(|standing| standing.disabled),
        "suspended": account.state.suspended,
        "silenced": account.state.silenced,
        "sensitive": account.sensitized,
    })
}

fn line(account: &Account, standing: Option<&UserRecord>) -> String {
    let states = [
        (standing.is_some_and(|standing| !standing.confirmed), "unconfirmed"),
        (standing.is_some_and(|standing| !standing.approved), "unapproved"),
        (standing.is_some_and(|standing| standing.disabled), "disabled"),
        (account.state.suspended, "suspended"),
        (account.state.silenced, "silenced"),
        (account.sensitized, "sensitive"),
    ];
    let role = account.role.iter().map(|role| role.name.as_str());
    let states = states.iter().filter(|(is, _)| *is).map(|(_, state)| *state);
    let details: Vec<&str> = role.chain(states).collect();
    format!("{}  {}  {}", account.id, account.acct(), details.join(", ")).trim_end().to_owned()
}
