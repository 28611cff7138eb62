//! Output about accounts for the operator.

use anyhow::Result;
use serde_json::{Value, json};
use siskin_entities::Account;
use siskin_ids::AccountId;
use siskin_services::accounts::{self, Standing, migration};

use crate::{
    cli::Options,
    output::{Listing, say, say_json},
    site::Site,
};

/// Prints all local accounts.
pub fn list(options: &Options, site: &Site) -> Result<()> {
    let (mut after, mut listing) = (AccountId::new(0), Listing::new(options.json));
    loop {
        let (accounts, standings) = site.read(|conn| {
            let accounts = accounts::local(conn, after)?;
            let ids: Vec<AccountId> = accounts.iter().map(|account| account.id).collect();
            let standings = accounts::standings(conn, &ids)?;
            Ok((accounts, standings))
        })?;
        let Some(last) = accounts.last() else { return listing.end() };
        after = last.id;
        for account in &accounts {
            let standing = standings.get(&account.id);
            listing.entry(&line(account, standing), &brief(account, standing))?;
        }
    }
}

/// Prints one account of any server.
pub fn one(options: &Options, site: &Site, account: &Account) -> Result<()> {
    let id = account.id;
    let (standing, aliases) = site.read(|conn| {
        Ok((accounts::standings(conn, &[id])?.remove(&id), migration::aliases(conn, id)?))
    })?;
    let standing = standing.as_ref();
    let mut value = brief(account, standing);
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
        return say_json(&value);
    }
    say(&line(account, standing))?;
    let Value::Object(all) = value else { return Ok(()) };
    let shown = all.iter().filter(|(name, _)| !matches!(name.as_str(), "id" | "username" | "role"));
    for (name, value) in shown {
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::String(text) if text.is_empty() => {}
            Value::Array(list) if list.is_empty() => {}
            Value::String(text) => say(&format!("    {name}: {text}"))?,
            other => say(&format!("    {name}: {other}"))?,
        }
    }
    Ok(())
}

fn text(time: siskin_entities::Timestamp) -> String {
    time.to_string()
}

fn brief(account: &Account, standing: Option<&Standing>) -> Value {
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
    })
}

fn line(account: &Account, standing: Option<&Standing>) -> String {
    let states = [
        (standing.is_some_and(|standing| !standing.confirmed), "unconfirmed"),
        (standing.is_some_and(|standing| !standing.approved), "unapproved"),
        (standing.is_some_and(|standing| standing.disabled), "disabled"),
        (account.state.suspended, "suspended"),
        (account.state.silenced, "silenced"),
    ];
    let role = account.role.iter().map(|role| role.name.as_str());
    let states = states.iter().filter(|(is, _)| *is).map(|(_, state)| *state);
    let said: Vec<&str> = role.chain(states).collect();
    format!("{}  {}  {}", account.id, account.acct(), said.join(", ")).trim_end().to_owned()
}
