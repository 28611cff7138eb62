//! The second step of a sign-in: the code after the password or after a sign-in at a provider. Its
//! secret is in a cookie of the browser that took the first step, and is stored as a hash.

use siskin_entities::{Settings, Timestamp};
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn, Tx, accounts, external_identities,
    pending_sign_ins::{self as rows, PendingSignIn},
    second_factors, users,
};
use siskin_policy::second_factor::{MAX_CODE_TRIES, SIGN_IN_PERIOD, WARNING_PERIOD};

use super::use_code;
use crate::{
    Result,
    authentication::UserState,
    emails::{self, Email, SecondFactorChange},
    secrets,
    sessions::Reach,
    sign_in::require_passwords,
};

/// Result of [`attempt`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// The code is right, and a session of this reach can begin.
    Accepted {
        account: AccountId,
        reach: Reach,
    },
    Wrong,
    /// The first step is needed again: it was taken too long ago, too many codes were wrong, the
    /// account changed meanwhile, or people do not sign in that way any more.
    Ended,
}

/// The ways by which people can sign in at present.
#[derive(Debug, Clone, Copy)]
pub struct OpenWays<'a> {
    pub settings: &'a Settings,
    /// Identifiers of all providers that the operator has configured.
    pub issuers: &'a [String],
}

impl OpenWays<'_> {
    /// Returns `true` if the person could still take the first step of this sign-in.
    fn include(self, conn: &mut Conn, pending: &PendingSignIn) -> Result<bool> {
        let Some(issuer) = &pending.issuer else {
            return Ok(require_passwords(self.settings).is_ok());
        };
        let logins = external_identities::of_account(conn, pending.account)?;
        Ok(self.issuers.contains(issuer) && logins.iter().any(|login| login.issuer == *issuer))
    }
}

/// Begins the second step for a user who sent the right password, or who signed in at the external
/// provider with the identifier `issuer`. Returns the secret for the cookie.
///
/// # Errors
/// Storage errors only.
pub fn begin(tx: &mut Tx<'_>, account: AccountId, issuer: Option<&str>) -> Result<String> {
    let token = secrets::generate();
    let expires_at = tx.now().after(SIGN_IN_PERIOD);
    rows::insert(tx, &secrets::hash(&token), account, issuer, expires_at)?;
    Ok(token)
}

/// Returns the account that waits for its code with this secret. Returns `None` if the first step
/// is needed again.
///
/// # Errors
/// Storage errors only.
pub fn account(
    conn: &mut Conn,
    ways: OpenWays<'_>,
    token: &str,
    now: Timestamp,
) -> Result<Option<AccountId>> {
    let found = rows::find(conn, &secrets::hash(token), MAX_CODE_TRIES, now)?;
    let Some(pending) = found else { return Ok(None) };
    Ok(ways.include(conn, &pending)?.then_some(pending.account))
}

/// Tries a code. Uses it up if it is right, and counts the attempt if it is wrong. The caller
/// commits in both cases.
///
/// # Errors
/// Storage errors only.
pub fn attempt(tx: &mut Tx<'_>, ways: OpenWays<'_>, token: &str, typed: &str) -> Result<Attempt> {
    let (hash, now) = (secrets::hash(token), tx.now());
    let Some(pending) = rows::find(tx, &hash, MAX_CODE_TRIES, now)? else {
        return Ok(Attempt::Ended);
    };
    let account = pending.account;
    // A change of the password, of the logins or of the second factor comes before, and ends this
    // sign-in, or after.
    accounts::lock(tx, &[account])?;
    if !rows::count_try(tx, &hash, MAX_CODE_TRIES)? {
        return Ok(Attempt::Ended);
    }
    // It began a moment after its login was removed, or the way was closed for all.
    if !ways.include(tx, &pending)? {
        rows::delete(tx, &hash)?;
        return Ok(Attempt::Ended);
    }
    let Some(reach) = reach(tx, account)? else { return Ok(Attempt::Ended) };
    if use_code(tx, account, typed)? {
        rows::delete(tx, &hash)?;
        return Ok(Attempt::Accepted { account, reach });
    }
    if rows::find(tx, &hash, MAX_CODE_TRIES, now)?.is_some() {
        return Ok(Attempt::Wrong);
    }
    rows::delete(tx, &hash)?;
    warn(tx, account)?;
    Ok(Attempt::Ended)
}

/// Warns a user by email that someone knows the password, at most once in a while.
fn warn(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    let since = tx.now().before(WARNING_PERIOD);
    if second_factors::begin_warning(tx, account, since)? {
        emails::enqueue(
            tx,
            Email::SecondFactor { account, change: SecondFactorChange::WrongCodes },
        )?;
    }
    Ok(())
}

/// Returns what a session of a user reaches. Returns `None` if there can be none.
fn reach(conn: &mut Conn, account: AccountId) -> Result<Option<Reach>> {
    let Some(user) = users::recipient(conn, account)? else { return Ok(None) };
    let owner = user.owner;
    let state = UserState::of(owner.confirmed, owner.approved, owner.disabled, owner.suspended);
    Ok(Reach::of(state).ok())
}
