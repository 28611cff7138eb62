//! Logins at external providers of users who no longer control them.

use siskin_entities::AuditAction;
use siskin_ids::AccountId;
use siskin_persistence::{Tx, accounts as rows, external_identities};

use super::{accounts, act::Decider};
use crate::{
    Result, audit,
    emails::{self, Email},
};

/// Removes all logins at external providers from an account. Notifies the user by email, and writes
/// an entry of the audit log. Returns `false` if there were none, as for accounts of other servers.
/// Sessions stay.
///
/// # Errors
/// [`crate::Error::NotFound`] for an unknown account; [`crate::Error::Forbidden`] if the rank does
/// not allow it.
pub fn remove(tx: &mut Tx<'_>, decider: Decider, target: AccountId) -> Result<bool> {
    rows::lock(tx, &[target])?;
    let found = accounts::find(tx, target)?;
    decider.require_rank(tx, target)?;
    if !external_identities::delete_of_account(tx, target)? {
        return Ok(false);
    }
    let named = audit::account_target(&found.account);
    audit::record(tx, decider.actor(), AuditAction::RemoveExternalLogins, &named)?;
    emails::enqueue(tx, Email::ExternalLoginsRemoved { account: target })?;
    Ok(true)
}
