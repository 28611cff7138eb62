//! A person proves who they are by a password.
//!
//! Three steps, so that hashing holds no connection: [`find`] reads, [`Candidate::verify`] costs
//! CPU, and what follows (a session, a token) writes. How often it may be tried is not decided
//! here.

use std::sync::OnceLock;

use siskin_ids::AccountId;
use siskin_persistence::{
    Conn,
    users::{self, Login, SignInRecord},
};
use siskin_text::{Handle, username_key};

use crate::{Error, Instance, Result, accounts::email_key, authentication::Standing, passwords};

const WRONG: &str = "The e-mail address or the password is wrong";

/// Whoever has the login that was typed; nobody may have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    record: Option<SignInRecord>,
}

/// Returns the key by which attempts with this login are counted: one for each e-mail address, and
/// one for each user name, with or without this server's domain. It does not depend on who has an
/// account, so no count tells which address belongs to which user name.
#[must_use]
pub fn counted_as(instance: &Instance, login: &str) -> String {
    let login = login.trim();
    local_username(instance, login)
        .map_or_else(|| email_key(login), |username| format!("@{username}"))
}

/// Looks up a login: an e-mail address, or a user name with or without this server's domain.
///
/// # Errors
/// Storage errors only.
pub fn find(conn: &mut Conn, instance: &Instance, login: &str) -> Result<Candidate> {
    let login = login.trim();
    let by_email = match login.strip_prefix('@') {
        None => users::find_by_login(conn, Login::Email(&email_key(login)))?,
        Some(_) => None,
    };
    let record = match by_email {
        Some(record) => Some(record),
        None => match local_username(instance, login) {
            Some(username) => users::find_by_login(conn, Login::Username(&username))?,
            None => None,
        },
    };
    Ok(Candidate { record })
}

/// The folded user name, if the login is a handle of this server.
fn local_username(instance: &Instance, login: &str) -> Option<String> {
    let handle = Handle::parse(login)?;
    let here = handle.domain.is_none_or(|domain| domain == instance.urls.domain());
    here.then(|| username_key(&handle.username))
}

impl Candidate {
    /// The account of the person if the password is theirs and nothing keeps them out. Takes its
    /// time, and as long for a login that nobody has. Belongs onto a blocking thread.
    ///
    /// # Errors
    /// [`Error::Unauthenticated`] for a wrong login or password, told apart by nobody;
    /// [`Error::Forbidden`] in words for the person who may not sign in now.
    pub fn verify(&self, password: &str) -> Result<AccountId> {
        let hash: &str = match &self.record {
            Some(record) => &record.password_hash,
            None => hash_of_nobody(),
        };
        let fits = passwords::verify(password, hash);
        match &self.record {
            Some(SignInRecord { owner, .. }) if fits => {
                let standing =
                    Standing::of(owner.confirmed, owner.approved, owner.disabled, owner.suspended);
                standing.require_good()?;
                Ok(owner.account)
            }
            _ => Err(Error::Unauthenticated(WRONG.to_owned())),
        }
    }
}

/// A hash to compare with where there is none, so that the time tells nothing.
fn hash_of_nobody() -> &'static String {
    static HASH: OnceLock<String> = OnceLock::new();
    HASH.get_or_init(|| passwords::hash(&passwords::generate()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_of_another_server_is_no_login() {
        let here = Instance::at("http://localhost:3000", false).unwrap();
        let name = |login| local_username(&here, login);
        assert_eq!(name("Ann").as_deref(), Some("ann"));
        assert_eq!(name("@ann@localhost:3000").as_deref(), Some("ann"));
        assert_eq!(name("ann@elsewhere.example"), None);
        assert_eq!(name(""), None);
    }

    #[test]
    fn a_login_is_counted_alike_however_it_is_written() {
        let here = Instance::at("http://localhost:3000", false).unwrap();
        let key = |login| counted_as(&here, login);
        for login in ["Ann", "@ann", " ann@localhost:3000", "@ann@localhost:3000"] {
            assert_eq!(key(login), "@ann", "{login}");
        }
        assert_eq!(key("Ann@Mail.example"), key("ann@mail.example"));
        assert_ne!(key("ann@mail.example"), key("ann"));
        assert_ne!(key("ann@elsewhere.example"), key("@ann"));
    }

    #[test]
    fn nobody_is_refused_like_a_wrong_password() {
        let nobody = Candidate { record: None };
        assert!(matches!(nobody.verify("x"), Err(Error::Unauthenticated(_))));
    }
}
