//! Token endpoint: issues access tokens.

use siskin_entities::{Application, Timestamp};
use siskin_ids::{AccountId, TokenId};
use siskin_persistence::{
    Tx, accounts,
    codes::{self, StoredCode},
    tokens::{self, NewToken},
};
use siskin_policy::limits::MAX_ACCESS_TOKENS;

use super::{Challenge, ClientSecret, Fault, Outcome, Refusal, client, scope};
use crate::{Result, secrets};

const BAD_CODE: Refusal = Refusal::new(
    Fault::InvalidGrant,
    "The code is invalid, expired, used, or was issued for another client or redirect_uri",
);
const BAD_VERIFIER: Refusal =
    Refusal::new(Fault::InvalidGrant, "The code_verifier does not match the code_challenge");

/// Grant of a token request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Grant {
    /// A user agreed on the authorization page.
    Code { code: String, redirect_uri: String, verifier: Option<String> },
    /// The application acts for itself.
    ClientCredentials { scope: Option<String> },
    /// The user's password is already checked.
    Password { account: AccountId, scope: Option<String> },
}

/// Token request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRequest {
    /// `None` if the request contains no client credentials.
    pub client: Option<ClientSecret>,
    pub grant: Grant,
}

/// Newly issued token. The database stores only its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issued {
    pub token: String,
    /// Separated by spaces.
    pub scopes: String,
    pub created_at: Timestamp,
}

/// Issues a token.
///
/// # Errors
/// Storage errors only. The outcome contains protocol errors.
pub fn exchange(tx: &mut Tx<'_>, request: &TokenRequest) -> Result<Outcome<Issued>> {
    let application = match client::authenticate(tx, request.client.as_ref())? {
        Ok(application) => application,
        Err(refusal) => return Ok(Err(refusal)),
    };
    match &request.grant {
        Grant::Code { code, redirect_uri, verifier } => {
            let proof = Proof { code, redirect_uri, verifier: verifier.as_deref() };
            for_code(tx, &application, proof)
        }
        Grant::ClientCredentials { scope } => {
            within_registered(tx, &application, None, scope.as_deref())
        }
        Grant::Password { account, scope } => {
            within_registered(tx, &application, Some(*account), scope.as_deref())
        }
    }
}

fn within_registered(
    tx: &mut Tx<'_>,
    application: &Application,
    account: Option<AccountId>,
    requested: Option<&str>,
) -> Result<Outcome<Issued>> {
    let scopes = match scope::granted(requested, &application.scopes)? {
        Ok(scopes) => scopes.to_string(),
        Err(refusal) => return Ok(Err(refusal)),
    };
    let id = TokenId::new(tx.next_id());
    Ok(Ok(issue(tx, id, application, account, scopes)?))
}

/// Code of a token request, with the values that must match it.
#[derive(Clone, Copy)]
struct Proof<'a> {
    code: &'a str,
    redirect_uri: &'a str,
    verifier: Option<&'a str>,
}

fn for_code(
    tx: &mut Tx<'_>,
    application: &Application,
    proof: Proof<'_>,
) -> Result<Outcome<Issued>> {
    let hash = secrets::hash(proof.code);
    let Some(stored) = codes::find(tx, &hash)? else { return Ok(Err(BAD_CODE)) };
    if let Err(refusal) = fits(tx.now(), application, proof, &stored) {
        return Ok(Err(refusal));
    }
    // The end of access takes this lock too. So either the code has already ended, or the new token
    // ends later.
    accounts::lock(tx, &[stored.code.account])?;
    let token = TokenId::new(tx.next_id());
    if !codes::spend(tx, &hash, token)? {
        revoke_issued(tx, &hash)?;
        return Ok(Err(BAD_CODE));
    }
    let StoredCode { code, .. } = stored;
    Ok(Ok(issue(tx, token, application, Some(code.account), code.scopes)?))
}

fn fits(
    now: Timestamp,
    application: &Application,
    proof: Proof<'_>,
    StoredCode { code, .. }: &StoredCode,
) -> Outcome<()> {
    let bound = code.application == application.id && code.redirect_uri == proof.redirect_uri;
    if !bound || code.expires_at <= now {
        return Err(BAD_CODE);
    }
    // A verifier without a challenge is also refused: an attacker may have removed the challenge
    // (RFC 9700, 4.8.2).
    let proven = match (&code.challenge, proof.verifier) {
        (None, None) => true,
        (Some(challenge), Some(verifier)) => {
            Challenge::stored(challenge.clone()).is_verified_by(verifier)
        }
        _ => false,
    };
    if proven { Ok(()) } else { Err(BAD_VERIFIER) }
}

/// Revokes the token of a code that was used twice. Two parties had the code, so neither keeps the
/// token (RFC 6749, 4.1.2).
fn revoke_issued(tx: &mut Tx<'_>, code_hash: &str) -> Result<()> {
    if let Some(token) = codes::find(tx, code_hash)?.and_then(|stored| stored.token) {
        tokens::delete(tx, token)?;
    }
    Ok(())
}

/// Issues a token. If the user has [`MAX_ACCESS_TOKENS`], revokes the least recently used one.
fn issue(
    tx: &mut Tx<'_>,
    id: TokenId,
    application: &Application,
    account: Option<AccountId>,
    scopes: String,
) -> Result<Issued> {
    if let Some(account) = account {
        for surplus in tokens::surplus(tx, account, MAX_ACCESS_TOKENS - 1)? {
            tokens::delete(tx, surplus)?;
        }
    }
    let token = secrets::generate();
    let row = NewToken {
        hash: &secrets::hash(&token),
        application: Some(application.id),
        account,
        scopes: &scopes,
    };
    tokens::insert_with_id(tx, id, &row)?;
    Ok(Issued { token, scopes, created_at: tx.now() })
}
