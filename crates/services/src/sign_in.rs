//! Sign-in with a password.
//!
//! Sign-in has three steps, so that hashing holds no connection. [`find`] reads,
//! [`Candidate::verify`] uses CPU, and the last step (a session, a token) writes. A user with a
//! second factor also needs a code before the last step. The caller limits the number of attempts.

use std::sync::OnceLock;

use siskin_entities::Settings;
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn,
    users::{self, Login, SignInRecord},
};
use siskin_text::{Handle, username_key};

use crate::{
    Error, Instance, Result, accounts::email_key, authentication::UserState, passwords,
    sessions::Reach,
};

const WRONG: &str = "The email address or the password is wrong, or the address is not confirmed";
const EXTERNAL_ONLY: &str = "This server has no passwords: sign in through its provider";

/// Checks that people sign in with passwords here, and not only through an external provider.
///
/// # Errors
/// [`Error::Forbidden`] with a message for the user.
pub fn require_passwords(settings: &Settings) -> Result<()> {
    if settings.external_only { Err(Error::forbidden(EXTERNAL_ONLY)) } else { Ok(()) }
}

/// Returns `true` if clients may exchange a password for a token directly.
#[must_use]
pub fn allows_password_grant(settings: &Settings) -> bool {
    settings.oauth_password_grant && require_passwords(settings).is_ok()
}

/// User with the given login. There may be none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    record: Option<SignInRecord>,
}

/// Returns the key by which attempts with this login are counted: one for each e-mail address, and
/// one for each user name, with or without this server's domain. It does not depend on existing
/// accounts, so no count reveals which address belongs to which user name.
#[must_use]
pub fn attempt_key(instance: &Instance, login: &str) -> String {
    let login = login.trim();
    local_username(instance, login)
        .map_or_else(|| email_key(login), |username| format!("@{username}"))
}

/// Looks up a login: an email address, or a user name with or without this server's domain.
/// An address that is not confirmed is no login, because it may be that of another account
/// ([`accounts::apply`](crate::accounts::apply)).
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

/// Returns the normalised user name, if the login is a handle of this server.
fn local_username(instance: &Instance, login: &str) -> Option<String> {
    let handle = Handle::parse(login)?;
    let here = handle.domain.is_none_or(|domain| instance.urls.is_own_domain(&domain));
    here.then(|| username_key(&handle.username))
}

impl Candidate {
    /// Returns the user's account if the password is correct and the user may sign in. This is slow
    /// on purpose, and takes the same time for an unknown login. Must run on a blocking thread.
    ///
    /// # Errors
    /// [`Error::Unauthenticated`] for a wrong login or password, with the same message for both;
    /// [`Error::Forbidden`] with a message for the user if the account may not sign in now.
    pub fn verify(&self, password: &str) -> Result<AccountId> {
        let (account, state) = self.verify_in_any_state(password)?;
        state.require_active()?;
        Ok(account)
    }

    /// Returns the user's account and what a session of it reaches, if the password is correct.
    /// Disabled and suspended users may begin a restricted session. As slow as [`Self::verify`].
    ///
    /// # Errors
    /// As [`Self::verify`]; [`Error::Forbidden`] only for sign-ups that are not admitted yet.
    pub fn verify_for_session(&self, password: &str) -> Result<(AccountId, Reach)> {
        let (account, state) = self.verify_in_any_state(password)?;
        Ok((account, Reach::of(state)?))
    }

    /// Returns `true` if the user has a second factor. Then the sign-in needs a code too
    /// ([`crate::second_factor::challenge`]). Callers ask only after the password was correct.
    #[must_use]
    pub fn has_second_factor(&self) -> bool {
        self.record.as_ref().is_some_and(|record| record.has_second_factor)
    }

    fn verify_in_any_state(&self, password: &str) -> Result<(AccountId, UserState)> {
        let hash: &str = match &self.record {
            Some(record) if passwords::is_set(&record.password_hash) => &record.password_hash,
            // The response takes as long as for other users.
            Some(_) | None => dummy_hash(),
        };
        let fits = passwords::verify(password, hash);
        match &self.record {
            Some(SignInRecord { owner, .. }) if fits => {
                let state =
                    UserState::of(owner.confirmed, owner.approved, owner.disabled, owner.suspended);
                Ok((owner.account, state))
            }
            _ => Err(Error::Unauthenticated(WRONG.to_owned())),
        }
    }
}

/// Returns a hash to verify against if there is no user, or one without a password, so that the
/// response time reveals nothing.
fn dummy_hash() -> &'static String {
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
    fn equivalent_logins_have_the_same_attempt_key() {
        let here = Instance::at("http://localhost:3000", false).unwrap();
        let key = |login| attempt_key(&here, login);
        for login in ["Ann", "@ann", " ann@localhost:3000", "@ann@localhost:3000"] {
            assert_eq!(key(login), "@ann", "{login}");
        }
        assert_eq!(key("Ann@Mail.example"), key("ann@mail.example"));
        assert_ne!(key("ann@mail.example"), key("ann"));
        assert_ne!(key("ann@elsewhere.example"), key("@ann"));
    }

    #[test]
    fn an_unknown_user_gets_the_error_of_a_wrong_password() {
        let unknown = Candidate { record: None };
        assert!(matches!(unknown.verify("x"), Err(Error::Unauthenticated(_))));
    }
}
