//! What the operator and the staff do to an account: admit, limit, freeze, remove it.

use std::sync::Arc;

use siskin_entities::Account;
use siskin_ids::{AccountId, SessionId};
use siskin_persistence::{
    Conn, Tx,
    accounts::{self as rows, Decision},
    mailed_links::{self, Purpose},
    sessions, tokens,
};

use super::{create::role, owners};
use crate::{
    Error, Result, attachments,
    letters::{self, Letter},
    media, passwords,
};

/// Decides about an account. Whoever may no longer sign in is signed out everywhere; tokens stay,
/// as the decision may be taken back, and are refused meanwhile.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for a decision about a person where the account is one
/// of another server, and for one that would leave the server without an owner.
pub fn decide(tx: &mut Tx<'_>, account: AccountId, decision: Decision) -> Result<()> {
    let about_person =
        matches!(decision, Decision::Confirm | Decision::Approve | Decision::Disabled(_));
    if about_person {
        require_local(tx, account)?;
    } else {
        find(tx, account)?;
    }
    let ends = matches!(decision, Decision::Disabled(true) | Decision::Suspended(true));
    if ends {
        // A code that is exchanged at the same moment waits, and finds that it has ended.
        rows::lock(tx, &[account])?;
        owners::require_another(tx, account)?;
    }
    rows::decide(tx, account, decision)?;
    if ends {
        sessions::delete_others(tx, account, None)?;
    }
    Ok(())
}

/// Gives a person the role with this name, or none.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for an unknown role, an account of another server and
/// the only owner, who stays one.
pub fn set_role(tx: &mut Tx<'_>, account: AccountId, name: Option<&str>) -> Result<()> {
    require_local(tx, account)?;
    let role = role(tx, name)?;
    if !owners::is_owners(tx, role)? {
        owners::require_another(tx, account)?;
    }
    Ok(rows::set_role(tx, account, role)?)
}

/// A password that was checked and hashed.
#[derive(Debug, Clone)]
pub struct NewPassword {
    hash: String,
}

impl NewPassword {
    /// Checks and hashes a password, which takes its time.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the reason.
    pub fn new(password: &str) -> Result<Self> {
        match passwords::fault(password) {
            Some((_, why)) => Err(Error::invalid(format!("The password {why}"))),
            None => Ok(Self { hash: passwords::hash(password)? }),
        }
    }
}

/// Replaces a person's password and ends every session, token and code: whoever came in by the old
/// one is out.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for an account of another server.
pub fn set_password(tx: &mut Tx<'_>, account: AccountId, password: &NewPassword) -> Result<()> {
    require_local(tx, account)?;
    replace_password(tx, account, None, password)
}

/// Replaces a person's password at their own wish, and ends all that [`set_password`] ends but the
/// session they do it in. They are told by mail, in case it was somebody else.
///
/// # Errors
/// As [`set_password`].
pub fn change_password(
    tx: &mut Tx<'_>,
    account: AccountId,
    kept: SessionId,
    password: &NewPassword,
) -> Result<()> {
    require_local(tx, account)?;
    replace_password(tx, account, Some(kept), password)?;
    letters::enqueue(tx, Letter::PasswordChanged { account })
}

fn replace_password(
    tx: &mut Tx<'_>,
    account: AccountId,
    kept: Option<SessionId>,
    password: &NewPassword,
) -> Result<()> {
    rows::lock(tx, &[account])?;
    rows::set_password_hash(tx, account, &password.hash)?;
    sessions::delete_others(tx, account, kept)?;
    tokens::delete_of_person(tx, account)?;
    Ok(mailed_links::delete_of(tx, account, Purpose::Password)?)
}

/// Removes an account for good, some of it with each call; whether nothing is left of it. It
/// should be suspended before, so that it does not grow meanwhile.
///
/// # Errors
/// Storage errors only.
pub fn delete_some(tx: &mut Tx<'_>, account: AccountId) -> Result<bool> {
    if attachments::remove_some_of(tx, account)? {
        return Ok(false);
    }
    let before = rows::find(tx, account)?;
    let is_gone = rows::remove_some(tx, account)?;
    if is_gone && let Some(before) = before {
        media::discard(tx, [&before.avatar, &before.header].into_iter().flatten().cloned())?;
    }
    Ok(is_gone)
}

fn find(conn: &mut Conn, account: AccountId) -> Result<Arc<Account>> {
    rows::find(conn, account)?.ok_or(Error::NotFound)
}

fn require_local(conn: &mut Conn, account: AccountId) -> Result<()> {
    if find(conn, account)?.is_local() {
        Ok(())
    } else {
        Err(Error::invalid("This is an account of another server"))
    }
}
