//! Setup of a second factor. The new secret is stored only after the user entered a code of it:
//! until then, the page carries it, encrypted for this session.

use siskin_entities::Timestamp;
use siskin_ids::{AccountId, SessionId};
use siskin_persistence::{Conn, Tx, accounts, second_factors as rows};
use siskin_policy::second_factor::{SETUP_PERIOD, open_steps};

use super::{
    base32, ensured_key, key, new_recovery_codes, seal,
    totp::{SECRET_LENGTH, Secret},
    typed_code::{RecoveryCodes, TypedCode},
};
use crate::{
    Result,
    emails::{self, Email, SecondFactorChange},
};

/// Binds a new secret to its use, account and session.
const NEW: &[u8] = b"setup of a second factor";

/// A new secret, for the page that shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    secret: Secret,
    sealed: String,
}

impl Setup {
    /// Returns the secret as the page carries it: encrypted.
    #[must_use]
    pub fn sealed(&self) -> &str {
        &self.sealed
    }

    /// Returns the secret as people type it into an app.
    #[must_use]
    pub fn text(&self) -> String {
        base32::grouped(&self.secret.to_base32(), " ")
    }

    /// Returns the address by which an app gets the secret. `issuer` names this server, and `user`
    /// the account there.
    #[must_use]
    pub fn uri(&self, issuer: &str, user: &str) -> String {
        self.secret.uri(issuer, user)
    }
}

/// Result of [`enable`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Enabling {
    /// The user has a second factor now. Contains the recovery codes.
    Enabled(RecoveryCodes),
    WrongCode,
    /// The page is too old, or was made for another session.
    Expired,
    /// The user had a second factor already.
    Already,
}

/// Generates a secret for a user who wants to set up a second factor in this session.
///
/// # Errors
/// Storage errors only.
pub fn begin_setup(tx: &mut Tx<'_>, account: AccountId, session: SessionId) -> Result<Setup> {
    let secret = Secret::generate();
    let expires_at = tx.now().after(SETUP_PERIOD).unix_ms();
    let text = [&secret.as_bytes()[..], &expires_at.to_be_bytes()].concat();
    let sealed = ensured_key(tx)?.seal(&context(account, session), &text);
    Ok(Setup { secret, sealed })
}

/// Returns the secret that the page of this session carries. Returns `None` if the page is too old,
/// or was made for another session.
///
/// # Errors
/// Storage errors only.
pub fn resume_setup(
    conn: &mut Conn,
    account: AccountId,
    session: SessionId,
    sealed: &str,
    now: Timestamp,
) -> Result<Option<Setup>> {
    let text = key(conn)?.and_then(|key| key.open(&context(account, session), sealed));
    let secret = text.and_then(|text| read(&text, now));
    Ok(secret.map(|secret| Setup { secret, sealed: sealed.to_owned() }))
}

/// Returns the secret out of a decrypted text, if it has not expired.
fn read(text: &[u8], now: Timestamp) -> Option<Secret> {
    let (secret, expires_at) = text.split_at_checked(SECRET_LENGTH)?;
    let expires_at = Timestamp::from_unix_ms(i64::from_be_bytes(expires_at.try_into().ok()?));
    Secret::from_bytes(secret).filter(|_| now < expires_at)
}

fn context(account: AccountId, session: SessionId) -> Vec<u8> {
    [NEW, &account.get().to_be_bytes(), &session.get().to_be_bytes()].concat()
}

/// Gives a user a second factor, if `typed` is a code of the new secret, and notifies the user by
/// email. The code counts as used.
///
/// # Errors
/// Storage errors only.
pub fn enable(
    tx: &mut Tx<'_>,
    account: AccountId,
    session: SessionId,
    sealed: &str,
    typed: &str,
) -> Result<Enabling> {
    accounts::lock(tx, &[account])?;
    if rows::exists(tx, account)? {
        return Ok(Enabling::Already);
    }
    let now = tx.now();
    let Some(Setup { secret, .. }) = resume_setup(tx, account, session, sealed, now)? else {
        return Ok(Enabling::Expired);
    };
    let step = match TypedCode::parse(typed) {
        Some(TypedCode::OneTime(code)) => secret.step_of(&code, open_steps(now, None)),
        Some(TypedCode::Recovery(_)) | None => None,
    };
    let Some(step) = step else { return Ok(Enabling::WrongCode) };
    let stored = seal(tx, account, &secret)?;
    rows::insert(tx, account, &stored, step)?;
    let codes = new_recovery_codes(tx, account)?;
    emails::enqueue(tx, Email::SecondFactor { account, change: SecondFactorChange::Enabled })?;
    Ok(Enabling::Enabled(codes))
}
