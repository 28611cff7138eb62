//! First start: while no account can sign in, the holder of the one-time link can create the owner.

use siskin_persistence::{Conn, Tx, secrets as stored, users};
use subtle::ConstantTimeEq;

use crate::{
    Error, Instance, Result,
    accounts::{self, Created, NewAccount},
    roles, secrets,
};

/// Key under which the hash of the link's token is stored.
const NAME: &str = "setup_token_hash";

/// Generates a token for the set-up link, which replaces any older one. Returns `None` if an
/// account can already sign in.
///
/// # Errors
/// Storage errors only.
pub fn offer(tx: &mut Tx<'_>) -> Result<Option<String>> {
    if users::any_exists(tx)? {
        return Ok(None);
    }
    let token = secrets::generate();
    stored::replace(tx, NAME, &secrets::hash(&token))?;
    Ok(Some(token))
}

/// Returns `true` while there is no account that can sign in.
///
/// # Errors
/// Storage errors only.
pub fn is_needed(conn: &mut Conn) -> Result<bool> {
    Ok(!users::any_exists(conn)?)
}

/// Returns `true` if the link with this token is still valid.
///
/// # Errors
/// Storage errors only.
pub fn is_open(conn: &mut Conn, token: &str) -> Result<bool> {
    let Some(hash) = stored::find(conn, NAME)? else { return Ok(false) };
    let same: bool = secrets::hash(token).as_bytes().ct_eq(hash.as_bytes()).into();
    Ok(same && !users::any_exists(conn)?)
}

/// Owner to be created, checked, with the password hashed.
#[derive(Debug, Clone)]
pub struct Prepared(accounts::Prepared);

/// Checks the input and hashes the password, which is slow on purpose.
///
/// # Errors
/// [`Error::InvalidFields`].
pub fn prepare(
    instance: &Instance,
    username: &str,
    email: &str,
    password: &str,
) -> Result<Prepared> {
    let owner = NewAccount::by_operator(username, email, password);
    accounts::prepare(instance, owner).map(Prepared)
}

/// Creates the owner and invalidates the link.
///
/// # Errors
/// [`Error::NotFound`] if the link is invalid or no longer valid.
pub fn complete(tx: &mut Tx<'_>, token: &str, prepared: &Prepared) -> Result<Created> {
    if !is_open(tx, token)? || !stored::take(tx, NAME, &secrets::hash(token))? {
        return Err(Error::NotFound);
    }
    let role = roles::of_owners(tx)?;
    accounts::apply(tx, &prepared.0.clone().with_role(role.name))
}
