//! `siskin accounts …`: creates, moderates and deletes accounts.

mod show;
mod sign_ups;

use std::sync::Arc;

use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::json;
use siskin_entities::{Account, Actor, AuditAction};
use siskin_persistence::Tx;
use siskin_services::{
    accounts::{
        self, Decision, NewAccount, NewPassword,
        email::{self, NewEmail},
        migration,
    },
    audit,
    moderation::{
        act::{self, Decider},
        external_logins, second_factors,
    },
    passwords, settings,
};

use super::release_name;
use crate::{
    cli::Options,
    input,
    output::{print_error, print_json, print_line},
    site::Site,
};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the local accounts, one per line: id, name, role and restrictions
    List,
    /// Print the details of an account
    Show(Named),
    /// Create a local account and print its id, name and password as JSON
    Create(Create),
    /// Print the people who wait for approval, the newest first, with their reasons
    Pending,
    /// Approve a person who waits for approval
    Approve(Named),
    /// Reject a person who waits for approval: the account is hidden, and deleted after a day
    Reject(Named),
    /// Undo a rejection within a day: the person waits for approval again
    Restore(Named),
    /// Mark a person's email address as confirmed
    Confirm(Named),
    /// Suspend an account: it is shown without content, cannot act, and is deleted after 30 days
    Suspend(Named),
    /// Undo a suspension
    Unsuspend(Named),
    /// Limit an account: only its followers and people who open it see it
    Silence(Named),
    /// Undo a limit
    Unsilence(Named),
    /// Show all media of an account as sensitive
    MarkSensitive(Named),
    /// Undo the marking of media as sensitive
    UnmarkSensitive(Named),
    /// Prevent a person from signing in
    Disable(Named),
    /// Allow a person to sign in again
    Enable(Named),
    /// Delete an account with all its content, permanently
    Delete(Delete),
    /// Allow a new account to use the name of a deleted one
    ReleaseName(release_name::Arguments),
    /// Declare that another account has the same owner and may move to this one
    Alias(Alias),
    /// Declare that the owner of an account moved to another one, which names the old one as its
    /// alias
    Move(Move),
    /// Undo a move
    Unmove(Named),
    /// Give a person a role, or remove it
    SetRole(SetRole),
    /// Replace a person's email address and mark it as confirmed
    SetEmail(SetEmail),
    /// Replace a person's password, print it as JSON, end all sessions and remove the logins at
    /// external providers
    SetPassword(SetPassword),
    /// Remove the logins at external providers from an account, and send the person an email
    RemoveExternalLogins(Named),
    /// Remove the second factor of a person who lost it, and send them an email
    RemoveSecondFactor(Named),
}

#[derive(Debug, Args)]
pub struct Named {
    /// User name, or name@domain
    name: String,
}

#[derive(Debug, Args)]
pub struct Delete {
    /// User name, or name@domain
    name: String,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
}

#[derive(Debug, Args)]
pub struct SetEmail {
    /// User name
    name: String,
    /// The new address
    email: String,
}

/// The ways to give a password.
#[derive(Debug, Args)]
pub struct Password {
    /// The password, which other users of this machine may see in the process list; without this
    /// option and --password-stdin a random one is generated
    #[arg(long, conflicts_with = "password_stdin")]
    password: Option<String>,
    /// Read the password from the first line of standard input
    #[arg(long)]
    password_stdin: bool,
}

impl Password {
    fn read(self) -> Result<String> {
        match self.password {
            _ if self.password_stdin => input::password(),
            Some(password) => Ok(password),
            None => Ok(passwords::generate()),
        }
    }
}

#[derive(Debug, Args)]
pub struct Create {
    /// User name
    name: String,
    #[arg(long)]
    email: String,
    #[command(flatten)]
    password: Password,
    /// Owner, Admin, Moderator, or the name of another role
    #[arg(long)]
    role: Option<String>,
    /// Require the person to confirm the email address
    #[arg(long)]
    unconfirmed: bool,
    /// Require a moderator to approve the person
    #[arg(long)]
    unapproved: bool,
}

#[derive(Debug, Args)]
pub struct Alias {
    /// User name
    name: String,
    /// User name or name@domain of the other account
    other: String,
    /// Remove the alias
    #[arg(long)]
    remove: bool,
}

#[derive(Debug, Args)]
pub struct Move {
    /// User name
    name: String,
    /// User name or name@domain of the account moved to
    to: String,
}

#[derive(Debug, Args)]
pub struct SetRole {
    /// User name
    name: String,
    /// The name of the role; without one, the role is removed
    role: Option<String>,
}

#[derive(Debug, Args)]
pub struct SetPassword {
    /// User name
    name: String,
    #[command(flatten)]
    password: Password,
    /// Keep the logins at external providers; not after a theft, because the thief may have linked
    /// one
    #[arg(long)]
    keep_external_logins: bool,
}

pub fn run(options: &Options, command: Command) -> Result<()> {
    let site = Site::open(options)?;
    let restrict = |named: &Named, decision, what| {
        let account = find(&site, &named.name)?;
        site.write(move |tx| act::decide(tx, Decider::Operator, account.id, decision))?;
        report(options, &site, &named.name, what)
    };
    match command {
        Command::List => show::list(options, &site),
        Command::Show(named) => {
            let account = find(&site, &named.name)?;
            show::one(options, &site, &account)
        }
        Command::Create(create) => self::create(&site.settled()?, create),
        Command::Pending => sign_ups::pending(options, &site),
        Command::Approve(named) => sign_ups::approve(options, &site, &named),
        Command::Reject(named) => sign_ups::reject(options, &site, &named),
        Command::Restore(named) => sign_ups::restore(options, &site.settled()?, &named),
        Command::Confirm(named) => sign_ups::confirm(options, &site, &named),
        Command::Suspend(named) => restrict(&named, Decision::Suspended(true), "suspended"),
        Command::Unsuspend(named) => restrict(&named, Decision::Suspended(false), "not suspended"),
        Command::Silence(named) => restrict(&named, Decision::Silenced(true), "silenced"),
        Command::Unsilence(named) => restrict(&named, Decision::Silenced(false), "not silenced"),
        Command::MarkSensitive(named) => restrict(&named, Decision::Sensitized(true), "sensitive"),
        Command::UnmarkSensitive(named) => {
            restrict(&named, Decision::Sensitized(false), "not sensitive")
        }
        Command::Disable(named) => restrict(&named, Decision::Disabled(true), "disabled"),
        Command::Enable(named) => restrict(&named, Decision::Disabled(false), "enabled"),
        Command::Delete(named) => delete(options, &site, &named),
        Command::ReleaseName(name) => release_name::run(options, &site, &name),
        Command::Alias(alias) => self::alias(options, &site, &alias),
        Command::Move(names) => move_to(options, &site, &names),
        Command::Unmove(named) => unmove(options, &site, &named.name),
        Command::SetRole(set) => set_role(options, &site, &set),
        Command::SetEmail(set) => set_email(options, &site, &set),
        Command::SetPassword(set) => set_password(&site, set),
        Command::RemoveExternalLogins(named) => remove_external_logins(options, &site, &named.name),
        Command::RemoveSecondFactor(named) => remove_second_factor(options, &site, &named.name),
    }
}

fn find(site: &Site, name: &str) -> Result<Arc<Account>> {
    site.read(|conn| accounts::lookup(conn, &site.instance, name)).map_err(|error| {
        error.context(format!(
            "cannot find the account {name} (`siskin accounts list` lists the accounts of {})",
            site.instance.urls.domain()
        ))
    })
}

/// Writes what the operator did with an account to the audit log.
fn record(tx: &mut Tx<'_>, action: AuditAction, account: &Account) -> siskin_services::Result<()> {
    audit::record(tx, Actor::Operator, action, &audit::account_target(account))
}

fn report(options: &Options, site: &Site, name: &str, what: &str) -> Result<()> {
    let account = find(site, name)?;
    if options.json {
        return print_json(&json!({ "id": account.id, "username": account.username, "is": what }));
    }
    print_line(&format!("{} is {what}", account.acct()))
}

fn create(site: &Site, create: Create) -> Result<()> {
    let password = create.password.read()?;
    let new = NewAccount {
        role: create.role,
        confirmed: !create.unconfirmed,
        approved: !create.unapproved,
        ..NewAccount::by_operator(&create.name, &create.email, &password)
    };
    let prepared = accounts::prepare(&site.instance, new)?;
    let account = site.write(move |tx| {
        let account = accounts::apply(tx, &prepared)?;
        record(tx, AuditAction::Create, &account)?;
        Ok(account)
    })?;
    print_json(&json!({
        "id": account.id,
        "username": account.username,
        "password": password,
    }))
}

fn alias(options: &Options, site: &Site, alias: &Alias) -> Result<()> {
    let (account, other) = (find(site, &alias.name)?, find(site, &alias.other)?.id);
    let remove = alias.remove;
    site.write(move |tx| {
        match remove {
            true => migration::remove_alias(tx, account.id, other)?,
            false => migration::add_alias(tx, account.id, other)?,
        }
        record(tx, AuditAction::Update, &account)
    })?;
    let what = if remove { "not an alias" } else { "an alias" };
    report(options, site, &alias.other, what)
}

fn move_to(options: &Options, site: &Site, names: &Move) -> Result<()> {
    let (account, target) = (find(site, &names.name)?, find(site, &names.to)?.id);
    site.write(move |tx| {
        migration::move_to(tx, account.id, target)?;
        record(tx, AuditAction::Update, &account)
    })?;
    report(options, site, &names.name, "moved")
}

fn unmove(options: &Options, site: &Site, name: &str) -> Result<()> {
    let account = find(site, name)?;
    site.write(move |tx| {
        migration::undo_move(tx, account.id)?;
        record(tx, AuditAction::Update, &account)
    })?;
    report(options, site, name, "not moved")
}

fn set_role(options: &Options, site: &Site, set: &SetRole) -> Result<()> {
    let account = find(site, &set.name)?;
    let role = set.role.clone().filter(|role| !role.is_empty());
    let what = role.clone().unwrap_or_else(|| "without a role".to_owned());
    site.write(move |tx| accounts::set_role(tx, account.id, role.as_deref()))?;
    report(options, site, &set.name, &what)
}

fn set_password(site: &Site, set: SetPassword) -> Result<()> {
    let account = find(site, &set.name)?;
    let (password, keeps_logins) = (set.password.read()?, set.keep_external_logins);
    let (id, new) = (account.id, NewPassword::new(&password)?);
    let changed = Arc::clone(&account);
    let removed = site.write(move |tx| {
        accounts::set_password(tx, id, &new)?;
        record(tx, AuditAction::ChangePassword, &changed)?;
        Ok(!keeps_logins && external_logins::remove(tx, Decider::Operator, id)?)
    })?;
    print_json(&json!({
        "id": id,
        "username": account.username,
        "password": password,
        "external_logins_removed": removed,
    }))?;
    warn_if_shut_out(site, &account)
}

/// Prints a warning if a person has no way to sign in.
fn warn_if_shut_out(site: &Site, account: &Account) -> Result<()> {
    if site.read(|conn| settings::shuts_out(conn, &site.fixed, account.id))? {
        print_error(&format!(
            "{} cannot sign in: external_only is on, and no login at a provider is linked to the \
             account. The person needs such a login again, or switch the setting off: `siskin \
             settings set external_only false`.",
            account.acct()
        ));
    }
    Ok(())
}

fn remove_external_logins(options: &Options, site: &Site, name: &str) -> Result<()> {
    let account = find(site, name)?;
    let id = account.id;
    let removed = site.write(move |tx| external_logins::remove(tx, Decider::Operator, id))?;
    report(options, site, name, "without external logins")?;
    if removed { warn_if_shut_out(site, &account) } else { Ok(()) }
}

fn remove_second_factor(options: &Options, site: &Site, name: &str) -> Result<()> {
    let account = find(site, name)?;
    site.write(move |tx| second_factors::remove(tx, Decider::Operator, account.id))?;
    report(options, site, name, "without a second factor")
}

fn set_email(options: &Options, site: &Site, set: &SetEmail) -> Result<()> {
    let (account, email) = (find(site, &set.name)?, NewEmail::parse(&set.email)?);
    site.write(move |tx| {
        let before = email::address(tx, account.id)?;
        email::replace(tx, account.id, &email)?;
        if before == email.as_str() {
            return Ok(());
        }
        record(tx, AuditAction::ChangeEmail, &account)
    })?;
    report(options, site, &set.name, &format!("reached at {}", set.email.trim()))
}

/// Deletes an account in steps, so that a running server can write in between.
fn delete(options: &Options, site: &Site, delete: &Delete) -> Result<()> {
    let account = find(site, &delete.name)?;
    let id = account.id;
    if !delete.yes {
        let acct = account.acct();
        let what = format!("the account {acct} and all its statuses will be deleted permanently");
        input::require_consent(&what, &acct)?;
    }
    site.write(move |tx| act::begin_deletion(tx, Decider::Operator, id))?;
    while !site.write(move |tx| accounts::delete_some(tx, id))? {}
    if options.json {
        return print_json(&json!({ "id": id, "username": account.username, "is": "deleted" }));
    }
    print_line(&format!("Deleted {}", account.acct()))
}
