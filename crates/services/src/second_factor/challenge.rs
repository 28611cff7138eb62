//! The second step of a sign-in: the code after the password. Its secret is in a cookie of the
//! browser that sent the password, and is stored as a hash.

use siskin_entities::Timestamp;
use siskin_ids::AccountId;
use siskin_persistence::{Conn, Tx, accounts, pending_sign_ins as rows, second_factors, users};
use siskin_policy::second_factor::{MAX_CODE_TRIES, SIGN_IN_PERIOD, WARNING_PERIOD};

use super::use_code;
use crate::{
    Result,
    authentication::UserState,
    emails::{self, Email, SecondFactorChange},
    secrets,
    sessions::Reach,
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
    /// The password is needed again: it was sent too long ago, too many codes were wrong, or the
    /// account changed meanwhile.
    Ended,
}

/// Begins the second step for a user who sent the right password. Returns the secret for the
/// cookie.
///
/// # Errors
/// Storage errors only.
pub fn begin(tx: &mut Tx<'_>, account: AccountId) -> Result<String> {
    let token = secrets::generate();
    let expires_at = tx.now().after(SIGN_IN_PERIOD);
    rows::insert(tx, &secrets::hash(&token), account, expires_at)?;
    Ok(token)
}

/// Returns the account that waits for its code with this secret. Returns `None` if the password is
/// needed again.
///
/// # Errors
/// Storage errors only.
pub fn account(conn: &mut Conn, token: &str, now: Timestamp) -> Result<Option<AccountId>> {
    Ok(rows::find(conn, &secrets::hash(token), MAX_CODE_TRIES, now)?)
}

/// Tries a code. Uses it up if it is right, and counts the attempt if it is wrong. The caller
/// commits in both cases.
///
/// # Errors
/// Storage errors only.
pub fn attempt(tx: &mut Tx<'_>, token: &str, typed: &str) -> Result<Attempt> {
    let (hash, now) = (secrets::hash(token), tx.now());
    let Some(account) = rows::find(tx, &hash, MAX_CODE_TRIES, now)? else {
        return Ok(Attempt::Ended);
    };
    // A change of the password or of the second factor comes before, and ends this sign-in, or
    // after.
    accounts::lock(tx, &[account])?;
    if !rows::count_try(tx, &hash, MAX_CODE_TRIES)? {
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
