//! The first start: as long as nobody can sign in, whoever has the one-time link makes the owner.

use siskin_persistence::{Conn, Tx, secrets as kept, users};
use subtle::ConstantTimeEq;

use crate::{
    Error, Instance, Result,
    accounts::{self, Created, NewAccount},
    secrets,
};

/// The name of the link's hash among the instance's secrets.
const NAME: &str = "setup_token_hash";
const OWNER: &str = "Owner";

/// A fresh token for the set-up link, in place of any older one; None where somebody can sign in
/// already.
///
/// # Errors
/// Storage errors only.
pub fn offer(tx: &mut Tx<'_>) -> Result<Option<String>> {
    if users::anyone(tx)? {
        return Ok(None);
    }
    let token = secrets::generate();
    kept::replace(tx, NAME, &secrets::hash(&token))?;
    Ok(Some(token))
}

/// Returns `true` while there is no account that can sign in.
///
/// # Errors
/// Storage errors only.
pub fn is_needed(conn: &mut Conn) -> Result<bool> {
    Ok(!users::anyone(conn)?)
}

/// Whether the link with this token still works.
///
/// # Errors
/// Storage errors only.
pub fn is_open(conn: &mut Conn, token: &str) -> Result<bool> {
    let Some(hash) = kept::find(conn, NAME)? else { return Ok(false) };
    let same: bool = secrets::hash(token).as_bytes().ct_eq(hash.as_bytes()).into();
    Ok(same && !users::anyone(conn)?)
}

/// The owner to be made, checked, the password hashed.
#[derive(Debug, Clone)]
pub struct Prepared(accounts::Prepared);

/// Checks what was typed and hashes the password, which takes its time.
///
/// # Errors
/// [`Error::InvalidFields`].
pub fn prepare(
    instance: &Instance,
    username: &str,
    email: &str,
    password: &str,
) -> Result<Prepared> {
    let owner = NewAccount {
        role: Some(OWNER.to_owned()),
        ..NewAccount::by_operator(username, email, password)
    };
    accounts::prepare(instance, owner).map(Prepared)
}

/// Makes the owner; the link is dead from then on.
///
/// # Errors
/// [`Error::NotFound`] where the link does not work (any more).
pub fn complete(tx: &mut Tx<'_>, token: &str, prepared: &Prepared) -> Result<Created> {
    if !is_open(tx, token)? || !kept::take(tx, NAME, &secrets::hash(token))? {
        return Err(Error::NotFound);
    }
    accounts::apply(tx, &prepared.0)
}
