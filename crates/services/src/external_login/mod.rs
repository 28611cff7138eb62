//! Logins at external providers: sign-in, sign-up, links to accounts, and proofs of identity
//! (`docs/decisions/0049-external-login.md`).
//!
//! `outbound` speaks with the providers. What this server must remember meanwhile is in cookies of
//! the browser, encrypted. So a sign-in that is never finished leaves no row.

mod arrival;
mod flow;
mod links;
mod newcomer;
mod proof;

use serde::{Serialize, de::DeserializeOwned};
use siskin_persistence::{Conn, Tx};

use crate::{Error, Result, sealing::SealingKey};

pub(crate) use arrival::is_unfinished;
pub use arrival::{Arrival, arrive};
pub use flow::{Flow, Purpose, open_flow, seal_flow};
pub use links::{Links, link, links, unlink};
pub use newcomer::{
    ExternalSignUp, Newcomer, open_newcomer, seal_newcomer, sign_up_params, suggested_username,
};
pub use proof::{Prover, is_proven, prove};

/// Name of the key in the secrets of the instance.
const KEY_NAME: &str = "external_login_key";
/// Maximum length of an encrypted text, in bytes. Browsers drop cookies of more than 4096 bytes,
/// name and attributes included.
const MAX_SEALED: usize = 3900;

/// Generates the key that encrypts the cookies, if there is none.
///
/// # Errors
/// Storage errors only.
pub fn ensure_key(tx: &mut Tx<'_>) -> Result<()> {
    SealingKey::ensured(tx, KEY_NAME).map(drop)
}

/// Encrypts a value for a cookie. `context` names what it is.
fn seal(conn: &mut Conn, context: &[u8], value: &impl Serialize) -> Result<String> {
    let key = SealingKey::stored(conn, KEY_NAME)?;
    let key = key.ok_or_else(|| Error::internal("there is no key for external logins"))?;
    let text = serde_json::to_vec(value).map_err(Error::internal)?;
    Ok(key.seal(context, &text))
}

/// Decrypts a value of a cookie. Returns `None` if it is not from here, or was sealed as something
/// else.
fn open<T: DeserializeOwned>(conn: &mut Conn, context: &[u8], sealed: &str) -> Result<Option<T>> {
    let key = SealingKey::stored(conn, KEY_NAME)?;
    let text = key.and_then(|key| key.open(context, sealed));
    Ok(text.and_then(|text| serde_json::from_slice(&text).ok()))
}
