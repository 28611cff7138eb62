//! A server always keeps at least one owner, who has all permissions.

use siskin_ids::{AccountId, RoleId};
use siskin_persistence::{Conn, Tx, accounts as rows, roles};
use siskin_policy::roles::{Permission, Permissions};

use crate::{Error, Result};

const ONLY_OWNER: &str =
    "This is the only owner of this server: give another account the role Owner first";
const ONLY_OWNER_ROLE: &str =
    "The only owner of this server has this role: give another account the role Owner first";

/// Checks that another active owner exists, before an owner loses the role or the account.
///
/// # Errors
/// [`Error::Invalid`] for the only owner.
pub(crate) fn require_another(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    let owner_role_ids = owner_roles(tx)?;
    let owners = roles::role_holders(tx, &owner_role_ids)?;
    if !owners.iter().any(|owner| owner.account == account) {
        return Ok(());
    }
    // If two owners leave at once, the lock lets the second see that the first is gone.
    let ids: Vec<AccountId> = owners.iter().map(|owner| owner.account).collect();
    rows::lock(tx, &ids)?;
    let owners = roles::role_holders(tx, &owner_role_ids)?;
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

fn owner_roles(conn: &mut Conn) -> Result<Vec<RoleId>> {
    let all = roles::permissions(conn)?.into_iter();
    let allows_all = |bits| Permissions::from_bits(bits).can(Permission::Administrator);
    Ok(all.filter(|(_, bits)| allows_all(*bits)).map(|(role, _)| role).collect())
}
