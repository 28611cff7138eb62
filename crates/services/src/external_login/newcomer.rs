//! A person who signed in at a provider and signs up here. The cookie of the browser carries what
//! the provider says, until the person has chosen a user name.

use serde::{Deserialize, Serialize};
use siskin_entities::{ExternalPerson, Timestamp};
use siskin_persistence::Conn;
use siskin_policy::external_login::{SIGN_UP_PERIOD, is_within};

use super::{MAX_SEALED, open, seal};
use crate::{
    Result,
    accounts::{sign_up::SignUp, suggested_name},
};

const CONTEXT: &[u8] = b"sign-up after a sign-in at a provider";

/// A person without an account here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Newcomer {
    /// Id of the provider.
    pub provider: String,
    pub person: ExternalPerson,
    /// Page of this server to return to.
    pub return_to: Option<String>,
    pub invite_code: Option<String>,
    pub arrived_at: Timestamp,
}

/// A newcomer in a cookie.
#[derive(Serialize, Deserialize)]
struct Carried {
    provider: String,
    issuer: String,
    subject: String,
    email: Option<String>,
    email_is_verified: bool,
    username: Option<String>,
    return_to: Option<String>,
    invite_code: Option<String>,
    /// Unix time in milliseconds.
    arrived_at: i64,
}

impl From<&Newcomer> for Carried {
    fn from(newcomer: &Newcomer) -> Self {
        let Newcomer { provider, person, return_to, invite_code, arrived_at } = newcomer.clone();
        Self {
            provider,
            issuer: person.issuer,
            subject: person.subject,
            email: person.email,
            email_is_verified: person.email_is_verified,
            username: person.username,
            return_to,
            invite_code,
            arrived_at: arrived_at.unix_ms(),
        }
    }
}

impl From<Carried> for Newcomer {
    fn from(carried: Carried) -> Self {
        Self {
            provider: carried.provider,
            person: ExternalPerson {
                issuer: carried.issuer,
                subject: carried.subject,
                email: carried.email,
                email_is_verified: carried.email_is_verified,
                username: carried.username,
                authenticated_at: None,
            },
            return_to: carried.return_to,
            invite_code: carried.invite_code,
            arrived_at: Timestamp::from_unix_ms(carried.arrived_at),
        }
    }
}

/// Encrypts a newcomer for the cookie of the browser. Leaves out the page to return to if the
/// browser would drop the cookie because of it.
///
/// # Errors
/// Storage errors only.
pub fn seal_newcomer(conn: &mut Conn, newcomer: &Newcomer) -> Result<String> {
    let carried = Carried::from(newcomer);
    let sealed = seal(conn, CONTEXT, &carried)?;
    if sealed.len() <= MAX_SEALED {
        return Ok(sealed);
    }
    seal(conn, CONTEXT, &Carried { return_to: None, ..carried })
}

/// Returns the newcomer in a cookie. Returns `None` if it is damaged or too old.
///
/// # Errors
/// Storage errors only.
pub fn open_newcomer(conn: &mut Conn, sealed: &str, now: Timestamp) -> Result<Option<Newcomer>> {
    let found: Option<Carried> = open(conn, CONTEXT, sealed)?;
    let found = found.map(Newcomer::from);
    Ok(found.filter(|newcomer| is_within(SIGN_UP_PERIOD, newcomer.arrived_at, now)))
}

/// What a newcomer types.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExternalSignUp {
    pub username: String,
    /// Counts only if the provider did not verify an address.
    pub email: String,
    pub agreement: bool,
    pub reason: String,
}

/// Returns the sign-up of a newcomer at this IP address.
#[must_use]
pub fn sign_up_params(newcomer: Newcomer, typed: ExternalSignUp, ip: String) -> SignUp {
    SignUp {
        username: typed.username,
        email: typed.email,
        password: None,
        person: Some(newcomer.person),
        arrived_at: Some(newcomer.arrived_at),
        agreement: typed.agreement,
        locale: None,
        reason: Some(typed.reason),
        ip: Some(ip),
        application: None,
        scopes: String::new(),
        return_to: newcomer.return_to,
    }
}

/// Returns a user name for the form: that at the provider, or else the beginning of the email
/// address, made valid. Empty if neither gives one. It may be taken or reserved.
#[must_use]
pub fn suggested_username(person: &ExternalPerson) -> String {
    let names = [&person.username, &person.email].into_iter().flatten();
    let mut suggested = names.map(|name| suggested_name(name));
    suggested.find(|name| !name.is_empty()).unwrap_or_default()
}
