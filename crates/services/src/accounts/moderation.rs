//! Decisions of the operator and the staff about accounts: approve, silence, disable, suspend,
//! delete.

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
    emails::{self, Email},
    media, passwords,
};

/// Applies a decision to an account. A user who may no longer sign in loses all sessions. Tokens
/// stay, because the decision may be undone, but are refused meanwhile.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for a decision about a user if the account is remote,
/// and for one that would leave the server without an owner.
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
        // A simultaneous exchange of an authorization code waits, and finds that the code has
        // ended.
        rows::lock(tx, &[account])?;
        owners::require_another(tx, account)?;
    }
    rows::decide(tx, account, decision)?;
    if ends {
        sessions::delete_others(tx, account, None)?;
    }
    Ok(())
}

/// Gives a user the role with this name, or no role.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for an unknown role, a remote account and the only
/// owner, who keeps the role.
pub fn set_role(tx: &mut Tx<'_>, account: AccountId, name: Option<&str>) -> Result<()> {
    require_local(tx, account)?;
    let role = role(tx, name)?;
    if !owners::is_owner_role(tx, role)? {
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
    /// Checks and hashes a password, which is slow on purpose.
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

/// Replaces a user's password and ends every session, token and code. So access gained with the old
/// password ends.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for a remote account.
pub fn set_password(tx: &mut Tx<'_>, account: AccountId, password: &NewPassword) -> Result<()> {
    require_local(tx, account)?;
    replace_password(tx, account, None, password)
}

/// Replaces a user's password at their own request. Ends the same as [`set_password`], except for
/// the current session. Notifies the user by email, in case of an attack.
///
/// # Errors
/// As [`set_password`].
pub fn change_password(
    tx: &mut Tx<'_>,
    account: AccountId,
    current: SessionId,
    password: &NewPassword,
) -> Result<()> {
    require_local(tx, account)?;
    replace_password(tx, account, Some(current), password)?;
    emails::enqueue(tx, Email::PasswordChanged { account })
}

fn replace_password(
    tx: &mut Tx<'_>,
    account: AccountId,
    current: Option<SessionId>,
    password: &NewPassword,
) -> Result<()> {
    rows::lock(tx, &[account])?;
    rows::set_password_hash(tx, account, &password.hash)?;
    sessions::delete_others(tx, account, current)?;
    tokens::delete_of_account(tx, account)?;
    Ok(mailed_links::delete_of(tx, account, Purpose::Password)?)
}

/// Deletes a part of an account permanently. Returns `true` if nothing is left of it. The account
/// should be suspended before, so that it does not grow meanwhile.
///
/// # Errors
/// Storage errors only.
pub fn delete_some(tx: &mut Tx<'_>, account: AccountId) -> Result<bool> {
    if attachments::remove_some_of(tx, account)? {
        return Ok(false);
    }
    let before = rows::find(tx, account)?;
    let is_removed = rows::remove_some(tx, account)?;
    if is_removed && let Some(before) = before {
        media::discard(tx, [&before.avatar, &before.header].into_iter().flatten().cloned())?;
    }
    Ok(is_removed)
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
