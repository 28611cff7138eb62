//! `siskin tokens …`.

use std::sync::Arc;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::json;
use siskin_entities::{Account, Actor, AuditAction, AuditTarget, TargetKind};
use siskin_ids::TokenId;
use siskin_policy::scopes::Scopes;
use siskin_services::{
    accounts, audit,
    tokens::{self, ListedToken},
};

use crate::{
    cli::Options,
    output::{Listing, print_json, print_line},
    site::Site,
};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create an access token for each of these accounts, in any state, and print them as JSON, one
    /// per line: role and state of the account are checked at each request
    Create(Create),
    /// Print the access tokens, one per line: id, account, application, scopes, day of last use
    List(List),
    /// Revoke an access token
    Revoke(Revoke),
}

#[derive(Debug, Args)]
pub struct Create {
    /// User name; repeat it for several accounts
    #[arg(long = "account", value_name = "NAME", required = true)]
    accounts: Vec<String>,
    /// The scopes, separated by spaces
    #[arg(long, default_value = "read")]
    scopes: String,
}

#[derive(Debug, Args)]
pub struct List {
    /// Print only the tokens of this user
    #[arg(long, value_name = "NAME")]
    account: Option<String>,
}

#[derive(Debug, Args)]
pub struct Revoke {
    /// The id of the token (not the token itself)
    id: TokenId,
}

pub fn run(options: &Options, command: &Command) -> Result<()> {
    match command {
        Command::Create(create) => self::create(options, create),
        Command::List(list) => self::list(options, list),
        Command::Revoke(Revoke { id }) => revoke(options, *id),
    }
}

fn create(options: &Options, create: &Create) -> Result<()> {
    let scopes = Scopes::parse(&create.scopes)?;
    let site = Site::open(options)?;
    let accounts = create.accounts.iter().map(|name| find(&site, name));
    let accounts: Vec<Arc<Account>> = accounts.collect::<Result<_>>()?;
    let tokens = site.write(move |tx| {
        let mut tokens = Vec::new();
        for account in &accounts {
            tokens.push(tokens::issue(tx, account.id, &scopes)?);
            let target = audit::account_target(account);
            audit::record(tx, Actor::Operator, AuditAction::CreateToken, &target)?;
        }
        Ok(tokens)
    })?;
    for (account, token) in create.accounts.iter().zip(tokens) {
        print_json(&json!({ "account": account, "access_token": token }))?;
    }
    Ok(())
}

fn find(site: &Site, name: &str) -> Result<Arc<Account>> {
    let found = site.read(|conn| accounts::lookup(conn, &site.instance, name));
    found.with_context(|| format!("cannot find the account {name}"))
}

fn list(options: &Options, list: &List) -> Result<()> {
    let site = Site::open(options)?;
    let account = list.account.as_deref().map(|name| find(&site, name)).transpose()?;
    let account = account.map(|account| account.id);
    let (mut after, mut listing) = (TokenId::new(0), Listing::new(options.json));
    loop {
        let tokens = site.read(|conn| tokens::list(conn, account, after))?;
        let Some(last) = tokens.last() else { return listing.end() };
        after = last.id;
        for token in &tokens {
            let used = token.last_used_at.map(|used| used.to_string());
            let value = json!({
                "id": token.id,
                "account": token.username,
                "application": token.application,
                "scopes": token.scopes,
                "created_at": token.created_at.to_string(),
                "last_used_at": used,
            });
            let line = format!(
                "{}  {}  {}  {}  {}",
                token.id,
                token.username.as_deref().unwrap_or("(no account)"),
                token.application.as_deref().unwrap_or("(no application)"),
                token.scopes,
                used.map_or("never used".to_owned(), |used| format!("used {}", day(&used))),
            );
            listing.entry(&line, &value)?;
        }
    }
}

/// Returns the date of a time in RFC 3339.
fn day(time: &str) -> &str {
    time.split('T').next().unwrap_or(time)
}

fn revoke(options: &Options, id: TokenId) -> Result<()> {
    let site = Site::open(options)?;
    let before = TokenId::new(id.get().saturating_sub(1));
    let listed = site.read(|conn| tokens::list(conn, None, before))?;
    let target = listed.iter().find(|token| token.id == id).map(target);
    site.write(move |tx| {
        tokens::revoke(tx, id)?;
        match &target {
            Some(target) => audit::record(tx, Actor::Operator, AuditAction::RevokeToken, target),
            None => Ok(()),
        }
    })
    .with_context(|| format!("cannot revoke the token {id} (`siskin tokens list` lists all)"))?;
    if options.json {
        return print_json(&json!({ "id": id, "is": "revoked" }));
    }
    print_line(&format!("Revoked the token {id}"))
}

/// Returns what the audit log says about a token: its account.
fn target(token: &ListedToken) -> AuditTarget {
    let name = token.username.as_ref().map(|username| format!("@{username}"));
    match (token.account, name) {
        (Some(account), Some(name)) => audit::target(TargetKind::Account, account.get(), name),
        _ => AuditTarget {
            kind: TargetKind::Application,
            id: None,
            name: audit::beginning(token.application.as_deref().unwrap_or_default()),
        },
    }
}
