//! Second factors of users who lost them.

use siskin_entities::AuditAction;
use siskin_ids::AccountId;
use siskin_persistence::Tx;

use super::{accounts, act::Decider};
use crate::{Result, audit, emails::SecondFactorChange, second_factor};

/// Removes the second factor of a user, so that the password alone signs in. Notifies the user by
/// email, and writes an entry of the audit log. Returns `false` if there was none, as for accounts
/// of other servers.
///
/// # Errors
/// [`crate::Error::NotFound`] for an unknown account; [`crate::Error::Forbidden`] if the rank does
/// not allow it.
pub fn remove(tx: &mut Tx<'_>, decider: Decider, target: AccountId) -> Result<bool> {
    let found = accounts::find(tx, target)?;
    decider.require_rank(tx, target)?;
    if !second_factor::delete(tx, target, SecondFactorChange::Removed)? {
        return Ok(false);
    }
    let named = audit::account_target(&found.account);
    audit::record(tx, decider.actor(), AuditAction::RemoveSecondFactor, &named)?;
    Ok(true)
}
