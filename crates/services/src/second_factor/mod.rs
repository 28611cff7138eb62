//! Second factors of users: one-time codes of an authenticator app, asked for after the password,
//! and recovery codes for people who lost the app (`docs/decisions/0048-second-factor.md`).

mod base32;
pub mod challenge;
mod setup;
mod totp;
mod typed_code;

use siskin_entities::Timestamp;
use siskin_ids::AccountId;
use siskin_persistence::{Conn, Tx, accounts, pending_sign_ins, second_factors as rows};
use siskin_policy::second_factor::open_steps;

use self::{
    totp::Secret,
    typed_code::{TypedCode, hash},
};
use crate::{
    Error, Result,
    emails::{self, Email, SecondFactorChange},
    sealing::SealingKey,
};

pub use setup::{Enabling, Setup, begin_setup, enable, resume_setup};
pub use typed_code::RecoveryCodes;

/// Name of the key in the secrets of the instance: 32 bytes in base64url.
const KEY_NAME: &str = "second_factor_key";
/// Binds a stored secret to its use and account.
const STORED: &[u8] = b"second factor";

/// State of a second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    pub enabled_at: Timestamp,
    /// Number of recovery codes that are left.
    pub recovery_codes: i64,
}

/// Returns the state of the second factor of a user. Returns `None` if there is none.
///
/// # Errors
/// Storage errors only.
pub fn status(conn: &mut Conn, account: AccountId) -> Result<Option<Status>> {
    let Some(factor) = rows::find(conn, account)? else { return Ok(None) };
    let recovery_codes = rows::count_recovery_codes(conn, account)?;
    Ok(Some(Status { enabled_at: factor.enabled_at, recovery_codes }))
}

/// Replaces the recovery codes of a user who has a second factor, and returns the new ones.
///
/// # Errors
/// [`Error::NotFound`] if there is no second factor.
pub fn renew_recovery_codes(tx: &mut Tx<'_>, account: AccountId) -> Result<RecoveryCodes> {
    accounts::lock(tx, &[account])?;
    if !rows::exists(tx, account)? {
        return Err(Error::NotFound);
    }
    new_recovery_codes(tx, account)
}

/// Checks a code that a signed-in user typed to confirm a change, and uses it up. Returns `true` if
/// it counts now, and if the user has no second factor. The caller limits the number of attempts.
///
/// # Errors
/// Storage errors only.
pub fn confirms(tx: &mut Tx<'_>, account: AccountId, typed: &str) -> Result<bool> {
    accounts::lock(tx, &[account])?;
    if rows::exists(tx, account)? { use_code(tx, account, typed) } else { Ok(true) }
}

fn new_recovery_codes(tx: &mut Tx<'_>, account: AccountId) -> Result<RecoveryCodes> {
    let codes = RecoveryCodes::generate();
    rows::replace_recovery_codes(tx, account, &codes.hashes(account))?;
    Ok(codes)
}

/// Removes the second factor of a user at their own request, and notifies them by email. Does
/// nothing if there is none.
///
/// # Errors
/// Storage errors only.
pub fn disable(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    delete(tx, account, SecondFactorChange::Disabled).map(drop)
}

/// Removes the second factor of a user, and notifies them by email of this change. Returns `false`
/// if there was none.
pub(crate) fn delete(
    tx: &mut Tx<'_>,
    account: AccountId,
    change: SecondFactorChange,
) -> Result<bool> {
    accounts::lock(tx, &[account])?;
    if !rows::delete(tx, account)? {
        return Ok(false);
    }
    pending_sign_ins::delete_of_account(tx, account)?;
    emails::enqueue(tx, Email::SecondFactor { account, change })?;
    Ok(true)
}

/// Returns `true` if the user typed a code that counts now, and uses it up. The caller holds the
/// lock of the account and limits the number of attempts.
fn use_code(tx: &mut Tx<'_>, account: AccountId, typed: &str) -> Result<bool> {
    match TypedCode::parse(typed) {
        Some(TypedCode::OneTime(code)) => use_one_time_code(tx, account, &code),
        Some(TypedCode::Recovery(code)) => use_recovery_code(tx, account, &code),
        None => Ok(false),
    }
}

fn use_one_time_code(tx: &mut Tx<'_>, account: AccountId, code: &str) -> Result<bool> {
    let Some(factor) = rows::find(tx, account)? else { return Ok(false) };
    let secret = open(tx, account, &factor.sealed_secret)?;
    match secret.step_of(code, open_steps(tx.now(), Some(factor.last_step))) {
        Some(step) => Ok(rows::use_step(tx, account, step)?),
        None => Ok(false),
    }
}

fn use_recovery_code(tx: &mut Tx<'_>, account: AccountId, code: &str) -> Result<bool> {
    if !rows::take_recovery_code(tx, account, &hash(account, code))? {
        return Ok(false);
    }
    if rows::count_recovery_codes(tx, account)? == 0 {
        let change = SecondFactorChange::RecoveryCodesUsedUp;
        emails::enqueue(tx, Email::SecondFactor { account, change })?;
    }
    Ok(true)
}

fn seal(tx: &mut Tx<'_>, account: AccountId, secret: &Secret) -> Result<String> {
    Ok(ensured_key(tx)?.seal(&stored_context(account), secret.as_bytes()))
}

fn open(conn: &mut Conn, account: AccountId, sealed: &str) -> Result<Secret> {
    let bytes = key(conn)?.and_then(|key| key.open(&stored_context(account), sealed));
    let secret = bytes.and_then(|bytes| Secret::from_bytes(&bytes));
    secret.ok_or_else(|| Error::internal("the secret of a second factor cannot be decrypted"))
}

fn stored_context(account: AccountId) -> Vec<u8> {
    [STORED, &account.get().to_be_bytes()].concat()
}

/// Returns the key that encrypts the secrets. Returns `None` if none was needed so far.
fn key(conn: &mut Conn) -> Result<Option<SealingKey>> {
    SealingKey::stored(conn, KEY_NAME)
}

/// Returns the key, and generates it if there is none.
fn ensured_key(tx: &mut Tx<'_>) -> Result<SealingKey> {
    SealingKey::ensured(tx, KEY_NAME)
}
