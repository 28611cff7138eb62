//! State of accounts and users: approved, silenced, disabled, suspended, deleted. Who may decide, and
//! the audit log, is up to [`crate::moderation`].

use std::sync::Arc;

use siskin_entities::{Account, Actor};
use siskin_ids::{AccountId, SessionId};
use siskin_persistence::{
    Conn, Tx,
    accounts::{self as rows, Decision},
    mailed_links::{self, Purpose},
    pending_sign_ins, sessions, tokens,
};

use super::{email, owners};
use crate::{
    Error, Result, attachments,
    emails::{self, Email},
    federation::keys,
    invites, media,
    moderation::sign_ups,
    passwords, roles,
};

/// Applies a decision to an account, as [`change`], and ignores whether it changed something.
///
/// # Errors
/// As [`change`].
pub fn decide(tx: &mut Tx<'_>, account: AccountId, decision: Decision) -> Result<()> {
    change(tx, account, decision).map(drop)
}

/// Applies a decision to an account. A user who may no longer sign in loses all sessions. At the
/// end of the restriction, restricted sessions end, too. Tokens stay, because the decision may be
/// undone, but are refused meanwhile. Returns `false` if the account was in this state already. Of
/// parallel decisions, one at a time reads the state. A caller that has locked the account before a
/// decision that ends access has done so with [`owners::lock_with`].
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for a decision about a user if the account is remote,
/// and for one that would leave the server without an owner; [`Error::InvalidFields`] for the
/// confirmation of an address that another account has; [`Error::Forbidden`] for the end of the
/// suspension of an account that is being deleted.
pub(crate) fn change(tx: &mut Tx<'_>, account: AccountId, decision: Decision) -> Result<bool> {
    let ends = matches!(decision, Decision::Disabled(true) | Decision::Suspended(true));
    // A simultaneous exchange of an authorization code waits, and finds that the code has ended.
    if ends {
        owners::lock_with(tx, account)?;
    } else if decision == Decision::Confirm {
        email::lock_with_holder(tx, account)?;
    } else {
        rows::lock(tx, &[account])?;
    }
    let about_person =
        matches!(decision, Decision::Confirm | Decision::Approve | Decision::Disabled(_));
    if about_person {
        require_local(tx, account)?;
    } else {
        find(tx, account)?;
    }
    if ends {
        owners::require_another(tx, account)?;
    }
    if decision == Decision::Suspended(false) && rows::ending(tx, account)?.deleting_since.is_some()
    {
        return Err(Error::forbidden("This account is being deleted"));
    }
    if decision == Decision::Confirm {
        email::claim(tx, account)?;
    }
    let is_changed = rows::decide(tx, account, decision)?;
    if matches!(decision, Decision::Confirm | Decision::Approve) {
        // The decision may admit the account.
        invites::follow_inviter(tx, account)?;
        if is_changed {
            keys::make_for(tx, account)?;
        }
    }
    if is_changed && decision == Decision::Confirm {
        sign_ups::announce(tx, account)?;
    }
    let lifts = matches!(decision, Decision::Disabled(false) | Decision::Suspended(false));
    if ends || (lifts && is_changed) {
        sessions::delete_others(tx, account, None)?;
    }
    Ok(is_changed)
}

/// Gives a user the role with this name, or no role, for the operator.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for an unknown role, a remote account and the only
/// owner, who keeps the role.
pub fn set_role(tx: &mut Tx<'_>, account: AccountId, name: Option<&str>) -> Result<()> {
    let role = name.map(|name| roles::named(tx, name)).transpose()?;
    roles::assign(tx, Actor::Operator, account, role.map(|role| role.id))
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

/// Replaces a user's password and ends every session, token and code, and a pending change of the
/// email address. So access gained with the old password ends. A second factor stays, and so do
/// logins at external providers.
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
    pending_sign_ins::delete_of_account(tx, account)?;
    tokens::delete_of_account(tx, account)?;
    // Who knows the old password may have asked for another address, which would reset the new one.
    for purpose in [Purpose::Password, Purpose::Email] {
        mailed_links::delete_of(tx, account, purpose)?;
    }
    Ok(())
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
