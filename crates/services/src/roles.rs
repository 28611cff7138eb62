//! Roles: what staff may do, and who changes that. The rules are in `policy::roles`.
//!
//! Each change locks all roles first. So ranks and holders stay as they are while a change is
//! decided, and a decision about a role and one about its holder come one after the other.

use siskin_entities::{Account, Actor, AuditAction, Role, TargetKind};
use siskin_ids::{AccountId, RoleId};
use siskin_persistence::{Conn, Tx, accounts as account_rows, roles as rows};
use siskin_policy::roles::{
    self as policy, MAX_ROLES, Permission, Permissions, RoleEditor, RoleFault,
};
use siskin_text::{Caseless, is_blank};

use crate::{
    Error, Result,
    accounts::owners,
    audit,
    authentication::{self, require_permission},
};

/// Values of a role. `None` keeps the present value, or uses the default for a new role.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoleForm {
    pub name: Option<String>,
    pub color: Option<String>,
    pub permissions: Option<Permissions>,
    pub priority: Option<i32>,
    pub highlighted: Option<bool>,
}

/// Priority of a new role if the form names none.
const LOWEST_PRIORITY: i32 = 1;

/// Returns all roles, the highest first. The base role of all users is the last one.
///
/// # Errors
/// Storage errors only.
pub fn list(conn: &mut Conn) -> Result<Vec<Role>> {
    Ok(rows::all(conn)?)
}

/// Returns a role.
///
/// # Errors
/// [`Error::NotFound`] if there is none with this id.
pub fn find(conn: &mut Conn, id: RoleId) -> Result<Role> {
    rows::find(conn, id)?.ok_or(Error::NotFound)
}

/// Returns the role with this name, regardless of upper and lower case. The base role has no name.
///
/// # Errors
/// [`Error::Invalid`] if there is none.
pub fn named(conn: &mut Conn, name: &str) -> Result<Role> {
    let found = with_name(&rows::all(conn)?, name);
    found.ok_or_else(|| Error::invalid(format!("There is no role named {name:?}")))
}

fn with_name(roles: &[Role], name: &str) -> Option<Role> {
    let name = Caseless::new(name);
    let mut named = roles.iter().filter(|role| !role.is_everyone());
    named.find(|role| Caseless::new(&role.name).as_str() == name.as_str()).cloned()
}

/// Returns the role of the owners, which may have another name than at first.
///
/// # Errors
/// Storage errors only.
pub(crate) fn of_owners(conn: &mut Conn) -> Result<Role> {
    let highest = rows::all(conn)?.into_iter().find(is_of_owners);
    highest.ok_or_else(|| Error::internal("no role has all permissions"))
}

/// Returns the base role of all users.
///
/// # Errors
/// Storage errors only.
pub fn everyone(conn: &mut Conn) -> Result<Role> {
    Ok(rows::everyone(conn)?)
}

/// Returns the role that a user has in effect, with the permissions that everyone has.
///
/// # Errors
/// Storage errors only.
pub fn effective(conn: &mut Conn, role: Option<&Role>) -> Result<Role> {
    Ok(policy::effective(role, &rows::everyone(conn)?))
}

/// Creates a role.
///
/// # Errors
/// [`Error::Invalid`] for a wrong value, a taken name, and too many roles; [`Error::Forbidden`] for
/// a role that is not below that of the actor.
pub fn create(tx: &mut Tx<'_>, actor: Actor, form: &RoleForm) -> Result<Role> {
    let editor = lock_for(tx, actor)?;
    let id = RoleId::new(tx.next_id());
    let role = form.applied_to(Role { id, position: LOWEST_PRIORITY, ..Role::everyone() });
    policy::may_create(editor, &role).map_err(refusal)?;
    let others = rows::all(tx)?;
    if others.len() >= MAX_ROLES {
        return Err(refusal(RoleFault::TooMany));
    }
    require_free_name(&others, &role)?;
    rows::store(tx, &role)?;
    record(tx, actor, AuditAction::Create, &role)?;
    Ok(role)
}

/// Changes a role. It acts at the next request of each holder.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for a wrong value, and for what the base role and the
/// role of the owners must keep; [`Error::Forbidden`] for what is not below the role of the actor.
pub fn update(tx: &mut Tx<'_>, actor: Actor, id: RoleId, form: &RoleForm) -> Result<Role> {
    let editor = lock_for(tx, actor)?;
    let before = find(tx, id)?;
    let after = form.applied_to(before.clone());
    policy::may_update(editor, &before, &after).map_err(refusal)?;
    if after == before {
        return Ok(after);
    }
    require_free_name(&rows::all(tx)?, &after)?;
    if !is_of_owners(&after) {
        owners::require_another_role(tx, id)?;
    }
    rows::store(tx, &after)?;
    record(tx, actor, AuditAction::Update, &after)?;
    Ok(after)
}

/// Deletes a role. Its holders then have the base role.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for a role that must always exist, and for that of the
/// only owner; [`Error::Forbidden`] for a role that is not below that of the actor.
pub fn delete(tx: &mut Tx<'_>, actor: Actor, id: RoleId) -> Result<()> {
    let editor = lock_for(tx, actor)?;
    let role = find(tx, id)?;
    policy::may_delete(editor, &role).map_err(refusal)?;
    owners::require_another_role(tx, id)?;
    rows::delete(tx, id)?;
    record(tx, actor, AuditAction::Delete, &role)
}

/// Gives a user a role. `None` leaves the user with the base role.
///
/// # Errors
/// [`Error::NotFound`] for an unknown account or role; [`Error::Invalid`] for a remote account, for
/// the base role, and for the only owner, who keeps the role; [`Error::Forbidden`] if the user or
/// the role is not below the actor.
pub fn assign(
    tx: &mut Tx<'_>,
    actor: Actor,
    account: AccountId,
    role: Option<RoleId>,
) -> Result<()> {
    let editor = lock_for(tx, actor)?;
    owners::lock_with(tx, account)?;
    let target = account_rows::find(tx, account)?.ok_or(Error::NotFound)?;
    if !target.is_local() {
        return Err(Error::invalid("This is an account of another server"));
    }
    let present = rows::of_user(tx, account)?;
    let given = role.map(|id| find(tx, id)).transpose()?;
    let rank = present.as_ref().map_or(0, |role| role.position);
    policy::may_assign(editor, rank, given.as_ref()).map_err(refusal)?;
    if given == present {
        return Ok(());
    }
    if !given.as_ref().is_some_and(is_of_owners) {
        owners::require_another(tx, account)?;
    }
    account_rows::set_role(tx, account, given.map(|role| role.id))?;
    record_assignment(tx, actor, &target)
}

impl RoleForm {
    fn applied_to(&self, role: Role) -> Role {
        let name = self.name.as_deref().map(|name| name.trim().to_owned());
        let name = name.map(|name| if is_blank(&name) { String::new() } else { name });
        let color = self.color.as_deref().map(|color| color.trim().to_ascii_lowercase());
        Role {
            id: role.id,
            name: name.unwrap_or(role.name),
            color: color.unwrap_or(role.color),
            permissions: self.permissions.map_or(role.permissions, Permissions::bits),
            position: self.priority.unwrap_or(role.position),
            highlighted: self.highlighted.unwrap_or(role.highlighted),
        }
    }
}

/// Locks all roles, and returns what the actor may do with them.
fn lock_for(tx: &mut Tx<'_>, actor: Actor) -> Result<RoleEditor> {
    rows::lock(tx)?;
    match actor {
        Actor::Operator => Ok(RoleEditor::Operator),
        Actor::Staff(account) => {
            let authority = require_permission(tx, account, &[Permission::ManageRoles])?;
            let role = rows::of_user(tx, account)?.map(|role| role.id);
            Ok(RoleEditor::Staff { authority, role })
        }
    }
}

fn require_free_name(others: &[Role], role: &Role) -> Result<()> {
    let is_free = with_name(others, &role.name).is_none_or(|other| other.id == role.id);
    if role.is_everyone() || is_free { Ok(()) } else { Err(refusal(RoleFault::TakenName)) }
}

const fn is_of_owners(role: &Role) -> bool {
    Permissions::from_bits(role.permissions).can(Permission::Administrator)
}

fn refusal(fault: RoleFault) -> Error {
    match fault {
        RoleFault::NotAllowed => authentication::not_allowed(),
        fault if fault.is_about_editor() => Error::forbidden(fault.to_string()),
        fault => Error::validation(fault),
    }
}

fn record(tx: &mut Tx<'_>, actor: Actor, action: AuditAction, role: &Role) -> Result<()> {
    let target = audit::target(TargetKind::Role, role.id.get(), role.name.clone());
    audit::record(tx, actor, action, &target)
}

fn record_assignment(tx: &mut Tx<'_>, actor: Actor, account: &Account) -> Result<()> {
    audit::record(tx, actor, AuditAction::ChangeRole, &audit::account_target(account))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_changes_only_what_it_names() {
        let role = Role { id: RoleId::new(7), name: "Helper".to_owned(), ..Role::everyone() };
        assert_eq!(RoleForm::default().applied_to(role.clone()), role);
        let form = RoleForm {
            name: Some(" Friend ".to_owned()),
            color: Some("#AABBCC".to_owned()),
            ..RoleForm::default()
        };
        let changed = form.applied_to(role.clone());
        assert_eq!((changed.name.as_str(), changed.color.as_str()), ("Friend", "#aabbcc"));
        assert_eq!(Role { name: role.name.clone(), color: String::new(), ..changed }, role);
        let blank = RoleForm { name: Some("\u{200B}".to_owned()), ..RoleForm::default() };
        assert_eq!(blank.applied_to(role).name, "");
    }

    #[test]
    fn names_are_compared_without_case() {
        let role = |id, name: &str| Role {
            id: RoleId::new(id),
            name: name.to_owned(),
            ..Role::everyone()
        };
        let roles = [role(7, "Straße"), Role::everyone()];
        assert_eq!(with_name(&roles, "STRASSE").map(|role| role.id), Some(RoleId::new(7)));
        assert_eq!(with_name(&roles, ""), None);
        assert!(require_free_name(&roles, &role(8, "strasse")).is_err());
        assert!(require_free_name(&roles, &role(7, "strasse")).is_ok());
    }
}
