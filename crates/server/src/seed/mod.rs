//! Seeding: fills an empty database with fixed applications, accounts and tokens, so that tests of
//! clients know them in advance.

mod file;

use std::collections::HashMap;

use anyhow::{Context, Result, ensure};
use siskin_entities::{
    Actor, Protocol, Settings,
    relationship::{Follow, Following},
};
use siskin_ids::{AccountId, ApplicationId};
use siskin_persistence::{
    Tx, applications, archive, relationships as relations,
    tokens::{self, NewToken},
};
use siskin_policy::scopes::Scopes;
use siskin_services::{
    Instance,
    accounts::{self, NewAccount, RemoteAccount, profile, profile::Pictures},
    passwords, secrets,
    settings::{self, FixedSettings},
};

pub use file::File;
use file::{App, Person};

use crate::site::Site;

/// The created accounts, in the order of the file: id and user name.
pub type CreatedAccounts = Vec<(AccountId, String)>;

/// Writes everything in one transaction.
///
/// # Errors
/// Test hooks are off, the database is not empty, or the file has an invalid value.
pub fn run(site: &Site, file: File) -> Result<CreatedAccounts> {
    require_test_hooks(site.instance.test_hooks)?;
    let seeding = Seeding::prepare(site, file)?;
    site.store.write(move |tx| seeding.apply(tx))
}

/// Refuses known secrets outside of tests.
///
/// # Errors
/// If test hooks are off.
pub fn require_test_hooks(are_on: bool) -> Result<()> {
    ensure!(
        are_on,
        "seeded passwords and tokens are not secret: for tests, set SISKIN_TEST_HOOKS=1"
    );
    Ok(())
}

/// A file with hashed passwords and checked texts.
struct Seeding {
    instance: Instance,
    settings: Vec<(String, String)>,
    apps: Vec<App>,
    people: Vec<(Person, New, profile::Prepared)>,
}

enum New {
    Local(Box<accounts::Prepared>),
    Remote(RemoteAccount),
}

impl Seeding {
    fn prepare(site: &Site, file: File) -> Result<Self> {
        let mut effective = Settings::default();
        let settings = file.settings()?;
        for (key, value) in &settings {
            effective.set(key, value)?;
        }
        let people = file.accounts.into_iter().map(|person| {
            let new = new(&site.instance, &person)
                .with_context(|| format!("cannot create the account {}", person.username))?;
            let profile = profile::prepare(&effective, person.profile())?;
            Ok((person, new, profile))
        });
        let people = people.collect::<Result<_>>()?;
        Ok(Self { instance: site.instance.clone(), settings, apps: file.apps, people })
    }

    fn apply(&self, tx: &mut Tx<'_>) -> Result<CreatedAccounts> {
        ensure!(archive::is_empty(tx)?, "the database is not empty");
        for (key, value) in &self.settings {
            settings::set(tx, Actor::Operator, &FixedSettings::default(), key, value)?;
        }
        let apps = self.apps.iter().map(|app| Ok((&*app.client_id, add_app(tx, app)?)));
        let apps: HashMap<&str, ApplicationId> = apps.collect::<Result<_>>()?;
        let mut created = CreatedAccounts::new();
        for (person, new, profile) in &self.people {
            let id = self.add_person(tx, person, new, profile, &apps)?;
            created.push((id, person.username.clone()));
        }
        for ((person, ..), (id, _)) in self.people.iter().zip(&created) {
            for name in &person.follows {
                let other = accounts::lookup(tx, &self.instance, name)
                    .with_context(|| format!("{} cannot follow {name}", person.username))?;
                follow(tx, *id, other.id)?;
            }
        }
        Ok(created)
    }

    fn add_person(
        &self,
        tx: &mut Tx<'_>,
        person: &Person,
        new: &New,
        profile: &profile::Prepared,
        apps: &HashMap<&str, ApplicationId>,
    ) -> Result<AccountId> {
        let account = match new {
            New::Local(prepared) => accounts::apply(tx, prepared),
            New::Remote(remote) => accounts::create_remote(tx, &self.instance, remote),
        };
        let account =
            account.with_context(|| format!("cannot create the account {}", person.username))?;
        profile::apply(tx, &self.instance, account.id, profile, &Pictures::default())?;
        for token in &person.tokens {
            let application = match &token.client_id {
                None => None,
                Some(id) => {
                    let known = apps.get(id.as_str()).copied();
                    Some(known.with_context(|| {
                        format!("there is no application with the client_id {id}")
                    })?)
                }
            };
            tokens::insert(
                tx,
                &NewToken {
                    hash: &secrets::hash(&token.token),
                    application,
                    account: Some(account.id),
                    scopes: &Scopes::parse(&token.scopes)?.to_string(),
                },
            )?;
        }
        Ok(account.id)
    }
}

fn new(instance: &Instance, person: &Person) -> Result<New> {
    if let Some(domain) = &person.domain {
        let name = person.protocol.as_deref().unwrap_or(Protocol::ActivityPub.as_str());
        return Ok(New::Remote(RemoteAccount {
            id: person.id()?,
            username: person.username.clone(),
            domain: domain.clone(),
            protocol: Protocol::from_name(name)
                .with_context(|| format!("unknown protocol {name}"))?,
        }));
    }
    let email = match &person.email {
        Some(email) => email.clone(),
        None => format!("{}@example.com", person.username),
    };
    let password = person.password.clone().unwrap_or_else(passwords::generate);
    let new = NewAccount {
        id: person.id()?,
        role: person.role.clone(),
        locale: person.locale.clone(),
        ..NewAccount::by_operator(&person.username, &email, &password)
    };
    Ok(New::Local(Box::new(accounts::prepare(instance, new)?)))
}

fn add_app(tx: &mut Tx<'_>, app: &App) -> Result<ApplicationId> {
    let new = applications::NewApplication {
        name: &app.name,
        website: app.website.as_deref(),
        client_id: &app.client_id,
        client_secret_hash: &secrets::hash(&app.client_secret),
        redirect_uris: &app.redirect_uri.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
        scopes: &Scopes::parse(&app.scopes)?.to_string(),
    };
    Ok(applications::insert(tx, &new)?.id)
}

/// Creates a follow at once, even if the other account approves its followers manually.
fn follow(tx: &mut Tx<'_>, from: AccountId, to: AccountId) -> Result<()> {
    let before = relations::relations(tx, from, to)?;
    let mut after = before.clone();
    after.following = Following::Yes(Follow::default());
    Ok(relations::save(tx, from, to, &before, &after)?)
}
