//! Emails to an address that a visitor typed. Only the job that writes them looks for the accounts
//! with this address, so the response cannot reveal whether there are some.

use siskin_ids::AccountId;
use siskin_persistence::{Tx, users};

use super::{Email, enqueue};
use crate::{Result, accounts::email_key};

/// Maximum number of accounts with one address that get an email each: those that were created last.
const MAX_UNCONFIRMED: i64 = 5;

/// Enqueues the emails to confirm an address: one for each account that was created with it, unless
/// another account has confirmed it. Each names its account, so the owner of the address chooses.
pub(super) fn enqueue_confirmations(
    tx: &mut Tx<'_>,
    email: &str,
    return_to: Option<&String>,
) -> Result<()> {
    let key = email_key(email);
    if users::owner_of_email(tx, &key)?.is_some() {
        return Ok(());
    }
    for account in users::unconfirmed_with_email(tx, &key, MAX_UNCONFIRMED)? {
        enqueue(tx, Email::Confirmation { account, return_to: return_to.cloned() })?;
    }
    Ok(())
}

/// Enqueues the email to choose a new password for the account that confirmed an address. If there
/// is none, enqueues one for each account that was created with it.
pub(super) fn enqueue_password_resets(
    tx: &mut Tx<'_>,
    email: &str,
    return_to: Option<&String>,
) -> Result<()> {
    let key = email_key(email);
    let accounts: Vec<AccountId> = match users::owner_of_email(tx, &key)? {
        Some(owner) => vec![owner],
        None => users::unconfirmed_with_email(tx, &key, MAX_UNCONFIRMED)?,
    };
    for account in accounts {
        enqueue(tx, Email::PasswordResetOf { account, return_to: return_to.cloned() })?;
    }
    Ok(())
}
