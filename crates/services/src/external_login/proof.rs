//! Proofs of identity for people without a password. What requires the password of others requires
//! that they have just signed in at their provider once more. A proof ends with the login that gave
//! it.

use serde::{Deserialize, Serialize};
use siskin_entities::{ExternalIdentity, ExternalPerson, Timestamp};
use siskin_ids::{AccountId, SessionId};
use siskin_persistence::{Conn, Tx, external_identities as rows};
use siskin_policy::external_login::{PROOF_PERIOD, is_fresh, is_within};

use super::{open, seal};
use crate::{Error, Result};

const CONTEXT: &[u8] = b"proof of identity by a provider";
const ANOTHER_LOGIN: &str = "This is not the login that is linked to your account";
const NOT_ASKED: &str = "The provider did not ask you to sign in once more";

/// A person in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prover {
    pub account: AccountId,
    pub session: SessionId,
}

/// A proof in a cookie.
#[derive(Serialize, Deserialize)]
struct Proof {
    prover: Prover,
    /// Identifier of the provider.
    issuer: String,
    /// When the login was linked, as Unix time in milliseconds. A login that was removed and linked
    /// again has another time.
    linked_at: i64,
    /// Unix time in milliseconds.
    at: i64,
}

/// Returns the proof, for the cookie of the browser, that a person in a session has signed in at
/// the provider once more. `asked` is when this server asked for it.
///
/// # Errors
/// [`Error::Forbidden`] if the login is not linked to the account, or if the provider did not ask
/// the person again.
pub fn prove(
    tx: &mut Tx<'_>,
    prover: Prover,
    person: &ExternalPerson,
    asked: Timestamp,
) -> Result<String> {
    let linked = rows::find(tx, &person.issuer, &person.subject)?;
    if linked.is_none_or(|user| user.owner.account != prover.account) {
        return Err(Error::forbidden(ANOTHER_LOGIN));
    }
    if !is_fresh(person.authenticated_at, asked) {
        return Err(Error::forbidden(NOT_ASKED));
    }
    let login = login(tx, prover.account, &person.issuer)?;
    let linked_at = login.ok_or_else(|| Error::forbidden(ANOTHER_LOGIN))?.linked_at.unix_ms();
    let (issuer, at) = (person.issuer.clone(), tx.now().unix_ms());
    seal(tx, CONTEXT, &Proof { prover, issuer, linked_at, at })
}

/// Returns `true` if the cookie of a browser has a proof that still counts for this session. It ends
/// with the transaction that removes its login.
///
/// # Errors
/// Storage errors only.
pub fn is_proven(conn: &mut Conn, prover: Prover, sealed: &str, now: Timestamp) -> Result<bool> {
    let proof: Option<Proof> = open(conn, CONTEXT, sealed)?;
    let is_current = |proof: &Proof| {
        proof.prover == prover && is_within(PROOF_PERIOD, Timestamp::from_unix_ms(proof.at), now)
    };
    let Some(proof) = proof.filter(is_current) else { return Ok(false) };
    let login = login(conn, prover.account, &proof.issuer)?;
    Ok(login.is_some_and(|login| login.linked_at.unix_ms() == proof.linked_at))
}

/// Returns the login of an account at a provider.
fn login(conn: &mut Conn, account: AccountId, issuer: &str) -> Result<Option<ExternalIdentity>> {
    let logins = rows::of_account(conn, account)?;
    Ok(logins.into_iter().find(|login| login.issuer == issuer))
}
