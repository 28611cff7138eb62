//! Decisions of the operator about sign-ups.

use anyhow::{Result, bail};
use serde_json::{Value, json};
use siskin_entities::{
    AdminAccount, AdminAccountState, Cursor, DecisionResult, PageRequest, SignUpAction,
};
use siskin_ids::AccountId;
use siskin_services::moderation::{
    accounts::{self, AccountQuery},
    act::Decider,
    sign_ups,
};

use super::{Named, find, report};
use crate::{
    cli::Options,
    output::{Listing, print_json, print_line},
    site::Site,
};

/// Number of sign-ups that are loaded at once.
const PAGE: i64 = 200;

/// Prints the sign-ups that wait for a decision, the newest first.
pub fn pending(options: &Options, site: &Site) -> Result<()> {
    let query = AccountQuery { state: Some(AdminAccountState::Pending), ..AccountQuery::default() };
    let mut request = PageRequest::newest(PAGE);
    let mut listing = Listing::new(options.json);
    loop {
        let page = site.read(|conn| accounts::list(conn, &query, request))?;
        for account in &page.items {
            listing.entry(&line(account), &summary(account))?;
        }
        let Some(oldest) = page.oldest.filter(|_| page.full) else { return listing.end() };
        request.cursor = Cursor { max: Some(oldest), ..Cursor::default() };
    }
}

/// Approves a sign-up, or does nothing if the account is approved.
pub fn approve(options: &Options, site: &Site, named: &Named) -> Result<()> {
    let (account, instance) = (find(site, &named.name)?, site.instance.clone());
    if !account.is_local() {
        bail!("{} is an account of another server", account.acct());
    }
    let (id, action) = (account.id, SignUpAction::Approve);
    site.write(move |tx| sign_ups::decide(tx, &instance, Decider::Operator, id, action))?;
    report(options, site, &named.name, "approved")
}

/// Rejects a sign-up.
pub fn reject(options: &Options, site: &Site, named: &Named) -> Result<()> {
    let (account, instance) = (find(site, &named.name)?, site.instance.clone());
    if !account.is_local() {
        bail!("{} is an account of another server", account.acct());
    }
    let (id, action) = (account.id, SignUpAction::Reject);
    let decision =
        site.write(move |tx| sign_ups::decide(tx, &instance, Decider::Operator, id, action))?;
    if decision != DecisionResult::Done {
        bail!("{} does not wait for approval", account.acct());
    }
    printed(options, &account.username, id, "rejected")
}

/// Undoes the rejection of a sign-up.
pub fn restore(options: &Options, site: &Site, named: &Named) -> Result<()> {
    let name = named.name.trim_start_matches('@');
    let Ok(id) = site.read(|conn| sign_ups::rejected(conn, name)) else {
        bail!("no sign-up of {name} was rejected in the last day");
    };
    let (instance, action) = (site.instance.clone(), SignUpAction::Restore);
    site.write(move |tx| sign_ups::decide(tx, &instance, Decider::Operator, id, action))?;
    printed(options, name, id, "waiting for approval")
}

/// Marks the email address of a person as confirmed, or does nothing if it is.
pub fn confirm(options: &Options, site: &Site, named: &Named) -> Result<()> {
    let account = find(site, &named.name)?;
    site.write(move |tx| sign_ups::confirm(tx, Decider::Operator, account.id))?;
    report(options, site, &named.name, "confirmed")
}

fn printed(options: &Options, username: &str, id: AccountId, what: &str) -> Result<()> {
    if options.json {
        return print_json(&json!({ "id": id, "username": username, "is": what }));
    }
    print_line(&format!("{username} is {what}"))
}

fn line(shown: &AdminAccount) -> String {
    let account = &shown.account;
    let Some(user) = &shown.user else { return account.acct() };
    let state = if user.confirmed { "" } else { "  unconfirmed" };
    let ip = shown.last_ip().map(|ip| format!("  {ip}")).unwrap_or_default();
    let mut text = format!("{}  {}  {}{ip}{state}", account.id, account.acct(), user.email);
    for reason in reason_lines(user.sign_up_reason.as_deref().unwrap_or_default()) {
        text.push_str("\n    ");
        text.push_str(reason);
    }
    text
}

/// Returns the lines of a reason that show something.
fn reason_lines(reason: &str) -> impl Iterator<Item = &str> {
    reason.lines().filter(|line| !siskin_text::is_blank(line))
}

fn summary(shown: &AdminAccount) -> Value {
    let user = shown.user.as_ref();
    json!({
        "id": shown.account.id,
        "username": shown.account.username,
        "email": user.map(|user| &user.email),
        "ip": shown.last_ip(),
        "unconfirmed": user.is_some_and(|user| !user.confirmed),
        "reason": user.and_then(|user| user.sign_up_reason.as_ref()),
        "created_at": shown.account.created_at.to_string(),
    })
}
