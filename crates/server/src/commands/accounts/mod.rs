//! `siskin accounts …`: making accounts and deciding about them.

mod show;

use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::json;
use siskin_entities::Account;
use siskin_services::{
    accounts::{
        self, Decision, NewAccount, NewPassword,
        email::{NewEmail, replace},
        migration,
    },
    passwords,
};

use super::release_name;
use crate::{
    cli::Options,
    input,
    output::{say, say_json},
    site::Site,
};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the local accounts, one to a line: id, name, role, and what keeps them from anything
    List,
    /// Print what is known of an account
    Show(Named),
    /// Make a local account and print its id, name and password as JSON
    Create(Create),
    /// Admit a person who waits for approval
    Approve(Named),
    /// Take a person's e-mail address as confirmed
    Confirm(Named),
    /// Freeze an account: it is shown as an empty shell and cannot act
    Suspend(Named),
    /// Take a suspension back
    Unsuspend(Named),
    /// Limit an account to those who follow it or ask for it
    Silence(Named),
    /// Take a limit back
    Unsilence(Named),
    /// Keep a person from signing in
    Disable(Named),
    /// Let a person sign in again
    Enable(Named),
    /// Remove an account with everything it wrote, for good
    Delete(Delete),
    /// Let the name of a deleted account be used again
    ReleaseName(release_name::Arguments),
    /// Say that another account has the same owner and may move to this one
    Alias(Alias),
    /// Say that the owner of an account moved to another, which names it as its alias
    Move(Move),
    /// Take a move back
    Unmove(Named),
    /// Give a person a role, or take it
    SetRole(SetRole),
    /// Replace a person's e-mail address, which counts as confirmed then
    SetEmail(SetEmail),
    /// Replace a person's password and print it as JSON; sessions end
    SetPassword(SetPassword),
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
    /// Do not ask
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

/// How a password is given.
#[derive(Debug, Args)]
pub struct Password {
    /// The password, which other users of this machine may see in the list of processes; a random
    /// one without this and --password-stdin
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
    /// The e-mail address is still to be confirmed
    #[arg(long)]
    unconfirmed: bool,
    /// Staff is still to admit the person
    #[arg(long)]
    unapproved: bool,
}

#[derive(Debug, Args)]
pub struct Alias {
    /// User name
    name: String,
    /// User name or name@domain of the other account
    other: String,
    /// Take the alias back
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
    /// The name of the role; none takes it away
    role: Option<String>,
}

#[derive(Debug, Args)]
pub struct SetPassword {
    /// User name
    name: String,
    #[command(flatten)]
    password: Password,
}

pub fn run(options: &Options, command: Command) -> Result<()> {
    let site = Site::open(options)?;
    let decide = |named: &Named, decision, what| {
        let account = find(&site, &named.name)?;
        site.write(move |tx| accounts::decide(tx, account.id, decision))?;
        report(options, &site, &named.name, what)
    };
    match command {
        Command::List => show::list(options, &site),
        Command::Show(named) => {
            let account = find(&site, &named.name)?;
            show::one(options, &site, &account)
        }
        Command::Create(create) => self::create(&site.settled()?, create),
        Command::Approve(named) => decide(&named, Decision::Approve, "approved"),
        Command::Confirm(named) => decide(&named, Decision::Confirm, "confirmed"),
        Command::Suspend(named) => decide(&named, Decision::Suspended(true), "suspended"),
        Command::Unsuspend(named) => decide(&named, Decision::Suspended(false), "not suspended"),
        Command::Silence(named) => decide(&named, Decision::Silenced(true), "silenced"),
        Command::Unsilence(named) => decide(&named, Decision::Silenced(false), "not silenced"),
        Command::Disable(named) => decide(&named, Decision::Disabled(true), "disabled"),
        Command::Enable(named) => decide(&named, Decision::Disabled(false), "enabled"),
        Command::Delete(named) => delete(options, &site, &named),
        Command::ReleaseName(name) => release_name::run(options, &site, &name),
        Command::Alias(alias) => self::alias(options, &site, &alias),
        Command::Move(names) => move_to(options, &site, &names),
        Command::Unmove(named) => unmove(options, &site, &named.name),
        Command::SetRole(set) => set_role(options, &site, &set),
        Command::SetEmail(set) => set_email(options, &site, &set),
        Command::SetPassword(set) => set_password(&site, set),
    }
}

fn find(site: &Site, name: &str) -> Result<std::sync::Arc<Account>> {
    site.read(|conn| accounts::lookup(conn, &site.instance, name)).map_err(|error| {
        error.context(format!(
            "the account {name} (`siskin accounts list` shows those of {})",
            site.instance.urls.domain()
        ))
    })
}

fn report(options: &Options, site: &Site, name: &str, what: &str) -> Result<()> {
    let account = find(site, name)?;
    if options.json {
        return say_json(&json!({ "id": account.id, "username": account.username, "is": what }));
    }
    say(&format!("{} is {what}", account.acct()))
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
    let account = site.write(move |tx| accounts::apply(tx, &prepared))?;
    say_json(&json!({
        "id": account.id,
        "username": account.username,
        "password": password,
    }))
}

fn alias(options: &Options, site: &Site, alias: &Alias) -> Result<()> {
    let (account, other) = (find(site, &alias.name)?.id, find(site, &alias.other)?.id);
    let remove = alias.remove;
    site.write(move |tx| match remove {
        true => migration::remove_alias(tx, account, other),
        false => migration::add_alias(tx, account, other),
    })?;
    let what = if remove { "not an alias" } else { "an alias" };
    report(options, site, &alias.other, what)
}

fn move_to(options: &Options, site: &Site, names: &Move) -> Result<()> {
    let (account, target) = (find(site, &names.name)?.id, find(site, &names.to)?.id);
    site.write(move |tx| migration::move_to(tx, account, target))?;
    report(options, site, &names.name, "moved")
}

fn unmove(options: &Options, site: &Site, name: &str) -> Result<()> {
    let account = find(site, name)?.id;
    site.write(move |tx| migration::stay(tx, account))?;
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
    let password = set.password.read()?;
    let (id, new) = (account.id, NewPassword::new(&password)?);
    site.write(move |tx| accounts::set_password(tx, id, &new))?;
    say_json(&json!({ "id": id, "username": account.username, "password": password }))
}

fn set_email(options: &Options, site: &Site, set: &SetEmail) -> Result<()> {
    let (account, email) = (find(site, &set.name)?.id, NewEmail::parse(&set.email)?);
    site.write(move |tx| replace(tx, account, &email))?;
    report(options, site, &set.name, &format!("reached at {}", set.email.trim()))
}

/// In steps, so that a running server writes in between.
fn delete(options: &Options, site: &Site, delete: &Delete) -> Result<()> {
    let account = find(site, &delete.name)?;
    let id = account.id;
    if !delete.yes {
        let acct = account.acct();
        let what = format!("the account {acct} and everything that it wrote would go for good");
        input::require_consent(&what, &acct)?;
    }
    site.write(move |tx| accounts::decide(tx, id, Decision::Suspended(true)))?;
    while !site.write(move |tx| accounts::delete_some(tx, id))? {}
    if options.json {
        return say_json(&json!({ "id": id, "username": account.username, "is": "deleted" }));
    }
    say(&format!("{} is deleted", account.acct()))
}
