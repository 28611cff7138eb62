//! A server always keeps at least one owner, who has all permissions.

use siskin_ids::{AccountId, RoleId};
use siskin_persistence::{Conn, Tx, accounts as rows, roles};
use siskin_policy::roles::{Permission, Permissions};

use crate::{Error, Result};

const ONLY_OWNER: &str =
    "This is the only owner of this server: give another account the role Owner first";
const ONLY_OWNER_ROLE: &str =
    "The only owner of this server has this role: give another account the role Owner first";

/// Locks an account for a decision that may end its access or its role. If it is one of the owners,
/// locks all owners with it, in the order of the ids: a decision that locked its own owner first and
/// the others later would deadlock with a decision about another owner. The roles are locked before,
/// so no account becomes an owner meanwhile.
///
/// # Errors
/// Storage errors only.
pub(crate) fn lock_with(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    lock_all_with(tx, &[account])
}

/// Locks several accounts as [`lock_with`] does, before any of them is decided about.
///
/// # Errors
/// Storage errors only.
pub(crate) fn lock_all_with(tx: &mut Tx<'_>, accounts: &[AccountId]) -> Result<()> {
    roles::lock(tx)?;
    let owner_role_ids = owner_roles(tx)?;
    let owners = roles::role_holders(tx, &owner_role_ids)?;
    let is_of_owner = owners.iter().any(|owner| accounts.contains(&owner.account));
    let others = owners.iter().map(|owner| owner.account).filter(|_| is_of_owner);
    let ids: Vec<AccountId> = accounts.iter().copied().chain(others).collect();
    Ok(rows::lock(tx, &ids)?)
}

/// Checks that another active owner exists, before an owner loses the role or the account. The
/// caller has called [`lock_with`].
///
/// # Errors
/// [`Error::Invalid`] for the only owner.
pub(crate) fn require_another(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    let owner_role_ids = owner_roles(tx)?;
    let owners = roles::role_holders(tx, &owner_role_ids)?;
    if !owners.iter().any(|owner| owner.account == account) {
        return Ok(());
    }
    // All owners are locked. So if two leave at once, the second one sees that the first is gone.
    if owners.iter().any(|owner| owner.account != account && owner.can_sign_in) {
        Ok(())
    } else {
        Err(Error::invalid(ONLY_OWNER))
    }
}

/// Checks that an active owner has another role, before a role stops granting all permissions.
///
/// # Errors
/// [`Error::Invalid`] for the role of the only owner.
pub(crate) fn require_another_role(tx: &mut Tx<'_>, role: RoleId) -> Result<()> {
    let (these, others): (Vec<RoleId>, Vec<RoleId>) =
        owner_roles(tx)?.into_iter().partition(|owner_role| *owner_role == role);
    if these.is_empty() || roles::role_holders(tx, &these)?.is_empty() {
        return Ok(());
    }
    let owners = roles::role_holders(tx, &others)?;
    let ids: Vec<AccountId> = owners.iter().map(|owner| owner.account).collect();
    rows::lock(tx, &ids)?;
    if roles::role_holders(tx, &others)?.iter().any(|owner| owner.can_sign_in) {
        Ok(())
    } else {
        Err(Error::invalid(ONLY_OWNER_ROLE))
    }
}

/// Returns the owners who can sign in as far as the state of their accounts allows.
///
/// # Errors
/// Storage errors only.
pub(crate) fn active(conn: &mut Conn) -> Result<Vec<AccountId>> {
    let owner_role_ids = owner_roles(conn)?;
    let owners = roles::role_holders(conn, &owner_role_ids)?;
    Ok(owners.into_iter().filter(|owner| owner.can_sign_in).map(|owner| owner.account).collect())
}

fn owner_roles(conn: &mut Conn) -> Result<Vec<RoleId>> {
    let all = roles::permissions(conn)?.into_iter();
    let allows_all = |bits| Permissions::from_bits(bits).can(Permission::Administrator);
    Ok(all.filter(|(_, bits)| allows_all(*bits)).map(|(role, _)| role).collect())
}
