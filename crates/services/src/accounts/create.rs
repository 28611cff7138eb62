//! Creation of accounts. Sign-up, the command line, seeds and the set-up page all use this module.

use std::{net::IpAddr, sync::Arc};

use siskin_entities::{Account, Protocol, acct};
use siskin_ids::{AccountId, ApplicationId, RoleId};
use siskin_persistence::{
    Tx,
    accounts::{self as rows, NewUser},
    roles as role_rows,
    users::{self, EmailHolder},
};
use siskin_text::{Handle, search_fold, username_key};

use crate::{
    Error, Field, FieldError, Instance, Result, federation::keys, instance_domains, passwords,
    roles,
};

use super::{
    email,
    names::{self, email_key},
};

/// Creator of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Sign-up by a visitor. Names reserved for staff are refused.
    SignUp,
    /// Creation by the operator, who may use any name.
    Operator,
}

/// Local account to be created, as typed.
#[derive(Debug, Clone)]
pub struct NewAccount {
    pub origin: Origin,
    /// `None` takes the next id. Seeds use fixed ids.
    pub id: Option<AccountId>,
    pub username: String,
    pub email: String,
    /// `None` for a user who signs in only through an external provider.
    pub password: Option<String>,
    /// Name of a role, regardless of upper and lower case.
    pub role: Option<String>,
    pub locale: Option<String>,
    /// Whether the email address is confirmed.
    pub confirmed: bool,
    /// Whether staff approved the account, or need not.
    pub approved: bool,
    /// Reason for the sign-up, for the staff who decide.
    pub reason: Option<String>,
    pub sign_up_ip: Option<String>,
    pub application: Option<ApplicationId>,
}

impl NewAccount {
    /// Builds an account created by the operator, confirmed and approved.
    #[must_use]
    pub fn by_operator(username: &str, email: &str, password: &str) -> Self {
        Self {
            origin: Origin::Operator,
            id: None,
            username: username.to_owned(),
            email: email.to_owned(),
            password: Some(password.to_owned()),
            role: None,
            locale: None,
            confirmed: true,
            approved: true,
            reason: None,
            sign_up_ip: None,
            application: None,
        }
    }
}

/// Account to be created, after all checks that need no database, with its password hashed.
#[derive(Debug, Clone)]
pub struct Prepared {
    new: NewAccount,
    username_key: String,
    email_key: String,
    password_hash: String,
    search_text: String,
    uri: String,
    url: String,
}

impl Prepared {
    /// Returns `true` if the response must not reveal whether another account has the email address.
    /// The person that signs up does not use the account before the address is confirmed, so the
    /// response can be that to a free address.
    fn hides_taken_email(&self) -> bool {
        self.new.origin == Origin::SignUp && !self.new.confirmed
    }

    /// Returns the email address, normalised for comparison.
    pub(super) fn email_key(&self) -> &str {
        &self.email_key
    }

    /// Returns the address of the client that signed up.
    pub(super) fn sign_up_ip(&self) -> Option<IpAddr> {
        self.new.sign_up_ip.as_deref()?.parse().ok()
    }

    /// Returns the account with the role of this name.
    pub(crate) fn with_role(mut self, name: String) -> Self {
        self.new.role = Some(name);
        self
    }
}

/// Account that was created.
pub type Created = Arc<Account>;

/// Checks the input and hashes the password, which is slow on purpose.
///
/// # Errors
/// [`Error::InvalidFields`] that names each wrong field.
pub fn prepare(instance: &Instance, new: NewAccount) -> Result<Prepared> {
    let new = NewAccount {
        username: new.username.trim().to_owned(),
        email: new.email.trim().to_owned(),
        ..new
    };
    let faults = faults(&new);
    if !faults.is_empty() {
        return Err(Error::InvalidFields(faults));
    }
    let password_hash = match &new.password {
        Some(password) => passwords::hash(password)?,
        None => passwords::NONE.to_owned(),
    };
    Ok(Prepared {
        username_key: username_key(&new.username),
        email_key: email_key(&new.email),
        password_hash,
        search_text: search_text(&new.username, None, ""),
        uri: instance.urls.account_uri(&new.username),
        url: instance.urls.profile(&new.username),
        new,
    })
}

/// Returns all errors in the fields that every kind of account creation has.
pub(super) fn faults(new: &NewAccount) -> Vec<Field> {
    let mut username = names::username_faults(&new.username);
    if new.origin == Origin::SignUp && names::is_reserved(&new.username) {
        username.push((FieldError::Reserved, "is reserved".to_owned()));
    }
    let email = names::email_faults(&new.email);
    let password = new.password.as_deref().and_then(passwords::fault).into_iter().collect();
    [("username", username), ("email", email), ("password", password)]
        .into_iter()
        .flat_map(|(name, faults)| {
            faults.into_iter().map(move |(error, description)| Field { name, error, description })
        })
        .collect()
}

/// Writes a prepared account with all rows that belong to a local user. A sign-up with the email
/// address of another account gets an account without one, if the address would have to be
/// confirmed: if the other account has confirmed it, the email to the address says what happened. A
/// new account with a confirmed address takes it from one that did not confirm it.
///
/// # Errors
/// [`Error::InvalidFields`] if the name is taken, or the address unless that is hidden;
/// [`Error::Invalid`] for a role that does not exist.
pub fn apply(tx: &mut Tx<'_>, prepared: &Prepared) -> Result<Created> {
    let new = &prepared.new;
    let has_email = gets_email(tx, prepared)?;
    let role = role(tx, new.role.as_deref())?;
    let account = rows::NewAccount {
        id: new.id,
        username: &new.username,
        username_key: &prepared.username_key,
        domain: None,
        search_text: &prepared.search_text,
        uri: &prepared.uri,
        url: &prepared.url,
        protocol: Protocol::Local,
        reachable: new.confirmed && new.approved,
    };
    let Some(account) = rows::insert(tx, &account)? else { return Err(taken(&["username"])) };
    let user = NewUser {
        account,
        email: &new.email,
        email_key: &prepared.email_key,
        password_hash: &prepared.password_hash,
        role,
        locale: new.locale.as_deref(),
        confirmed: new.confirmed,
        approved: new.approved,
        sign_up_reason: new.reason.as_deref(),
        sign_up_ip: new.sign_up_ip.as_deref(),
        application: new.application,
    };
    if !(has_email && rows::insert_user(tx, &user)?) {
        if !prepared.hides_taken_email() {
            return Err(taken(&["email"]));
        }
        rows::insert_user_without_email(tx, &user)?;
    }
    if new.confirmed && new.approved {
        keys::make_for(tx, account)?;
    }
    load_created(tx, account)
}

/// Returns `true` if the new account gets its email address, and frees that if necessary. Returns
/// `false` if another account has it, and that is hidden. Names both fields in the error if both are
/// taken. The name of a deleted account counts as taken. Unique indexes decide between two
/// simultaneous requests.
///
/// # Errors
/// [`Error::InvalidFields`] if the name is taken, or the address unless that is hidden.
fn gets_email(tx: &mut Tx<'_>, prepared: &Prepared) -> Result<bool> {
    // This order matters: a deletion retires the name when it deletes the account.
    let username = rows::find_by_handle(tx, &prepared.username_key, None)?.is_some()
        || rows::is_retired(tx, &prepared.username_key)?;
    let holder = users::find_by_email(tx, &prepared.email_key)?;
    let hides = prepared.hides_taken_email();
    // An unconfirmed sign-up does not keep the address from a person who need not confirm it.
    let is_taken = |holder: EmailHolder| holder.confirmed || !prepared.new.confirmed;
    match (username, holder.is_some_and(is_taken) && !hides) {
        (false, false) if hides => Ok(holder.is_none()),
        (false, false) => email::free(tx, &prepared.new.email, None).map(|()| true),
        (true, false) => Err(taken(&["username"])),
        (false, true) => Err(taken(&["email"])),
        (true, true) => Err(taken(&["username", "email"])),
    }
}

pub(super) fn taken(fields: &[&'static str]) -> Error {
    let field = |name: &&'static str| Field {
        name,
        error: FieldError::Taken,
        description: "is already taken".to_owned(),
    };
    Error::InvalidFields(fields.iter().map(field).collect())
}

/// Returns the id of the role with this name.
fn role(tx: &mut Tx<'_>, name: Option<&str>) -> Result<Option<RoleId>> {
    let Some(name) = name else { return Ok(None) };
    // The role is not deleted meanwhile.
    role_rows::lock(tx)?;
    Ok(Some(roles::named(tx, name)?.id))
}

fn load_created(tx: &mut Tx<'_>, account: AccountId) -> Result<Created> {
    rows::find(tx, account)?.ok_or_else(|| Error::internal("a new account is missing"))
}

/// Remote account. Tests create them, as there is no federation yet.
#[derive(Debug, Clone)]
pub struct RemoteAccount {
    pub id: Option<AccountId>,
    pub username: String,
    pub domain: String,
    pub protocol: Protocol,
}

/// Creates a remote account.
///
/// # Errors
/// [`Error::Invalid`] if name and domain are not the handle of a remote account;
/// [`Error::InvalidFields`] if the account exists already.
pub fn create_remote(
    tx: &mut Tx<'_>,
    instance: &Instance,
    remote: &RemoteAccount,
) -> Result<Created> {
    let typed = format!("{}@{}", remote.username, remote.domain);
    let handle = Handle::parse(&typed).filter(|handle| handle.username == remote.username);
    let Some((handle, domain)) = handle.and_then(|handle| Some((handle.clone(), handle.domain?)))
    else {
        return Err(Error::invalid(format!("{typed:?} is not a valid handle")));
    };
    if instance.urls.is_own_domain(&domain) || remote.protocol == Protocol::Local {
        return Err(Error::invalid(format!("{typed:?} is not an account of another server")));
    }
    let account = rows::NewAccount {
        id: remote.id,
        username: &handle.username,
        username_key: &username_key(&handle.username),
        domain: Some(&domain),
        search_text: &search_text(&handle.username, Some(&domain), ""),
        uri: &format!("https://{domain}/users/{}", handle.username),
        url: &format!("https://{domain}/@{}", handle.username),
        protocol: remote.protocol,
        reachable: true,
    };
    let Some(account) = rows::insert(tx, &account)? else { return Err(taken(&["username"])) };
    instance_domains::limit_new_account(tx, account, &domain)?;
    load_created(tx, account)
}

/// Returns the search text of an account: its handle and its display name, normalised, one per
/// line.
pub(super) fn search_text(username: &str, domain: Option<&str>, display_name: &str) -> String {
    search_fold(&format!("{}\n{display_name}", acct(username, domain)))
}
