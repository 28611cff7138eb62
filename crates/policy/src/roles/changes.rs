//! Rules for roles that the operator or staff create, change, delete and assign. Staff act below
//! their own rank only, and pass on only what they may do themselves.

use siskin_entities::Role;
use siskin_ids::RoleId;

use super::{Authority, EVERYONE_PERMISSIONS, MAX_CUSTOM_PRIORITY, Permissions};

/// Maximum length of the name of a role, in characters.
pub const MAX_ROLE_NAME_CHARS: usize = 50;
/// Maximum number of roles.
pub const MAX_ROLES: usize = 100;

/// Who changes roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoleEditor {
    /// The operator, by a command. The operator is above all roles.
    Operator,
    /// A member of staff with the permission to manage roles.
    Staff {
        /// What the member may do.
        authority: Authority,
        /// The role that the member has.
        role: Option<RoleId>,
    },
}

/// Reason why a change of a role is refused. The text is for the person who tries it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RoleFault {
    /// The role or its holder is not below the editor.
    #[error("This action is not allowed")]
    NotAllowed,
    /// The change grants a permission that the editor does not have.
    #[error("You cannot grant a permission that you do not have")]
    Elevated,
    /// The new rank is not below that of the editor.
    #[error("The priority must be below that of your own role")]
    PriorityTooHigh,
    /// The name is empty.
    #[error("Name can't be blank")]
    BlankName,
    /// The name has more than [`MAX_ROLE_NAME_CHARS`] characters.
    #[error("Name has at most 50 characters")]
    LongName,
    /// The name contains a control character, such as a line break.
    #[error("Name must be a single line")]
    BrokenName,
    /// Another role has this name, if upper and lower case count as equal.
    #[error("Name has already been taken")]
    TakenName,
    /// The colour has another form than `#rrggbb`.
    #[error("Color must be # and six hexadecimal digits, or empty")]
    Color,
    /// The rank is outside of the range for custom roles.
    #[error("Priority must be from 1 to 999")]
    Priority,
    /// The bit mask contains a flag that this version does not know.
    #[error("Permissions contain an unknown flag")]
    UnknownPermission,
    /// The base role would get a permission that is not for all users.
    #[error("The base role can only allow to invite users")]
    UnsafeForEveryone,
    /// Something else than the permissions of the base role would change.
    #[error("Only the permissions of the base role can be changed")]
    BaseRole,
    /// The base role would be deleted.
    #[error("The base role cannot be deleted")]
    BaseRoleDeleted,
    /// The base role would be assigned.
    #[error("All users have the base role, so it cannot be assigned")]
    BaseRoleAssigned,
    /// The permissions or the rank of the role of the owners would change.
    #[error("The permissions and the priority of the owners' role cannot be changed")]
    OwnerRole,
    /// The role of the owners would be deleted.
    #[error("The owners' role cannot be deleted")]
    OwnerRoleDeleted,
    /// There are [`MAX_ROLES`] roles already.
    #[error("There are at most 100 roles")]
    TooMany,
}

impl RoleFault {
    /// Returns `true` if the editor may not do this, and `false` if a value is wrong.
    #[must_use]
    pub const fn is_about_editor(self) -> bool {
        matches!(self, Self::NotAllowed | Self::Elevated | Self::PriorityTooHigh)
    }
}

/// Checks the values of a role, which do not depend on the editor. The name is trimmed.
///
/// # Errors
/// [`RoleFault`] for the first wrong value.
pub fn check_values(role: &Role) -> Result<(), RoleFault> {
    if role.is_everyone() {
        let base = Role { permissions: role.permissions, ..Role::everyone() };
        let is_safe = EVERYONE_PERMISSIONS.cover(flags(role));
        require(*role == base, RoleFault::BaseRole)?;
        return require(is_safe, RoleFault::UnsafeForEveryone);
    }
    check_name(&role.name)?;
    check_color(&role.color)?;
    require(role.permissions & !Permissions::ALL.bits() == 0, RoleFault::UnknownPermission)?;
    let is_rank = is_owners(role) || (1..=MAX_CUSTOM_PRIORITY).contains(&role.position);
    require(is_rank, RoleFault::Priority)
}

/// Checks a trimmed name. The caller knows whether it is taken.
fn check_name(name: &str) -> Result<(), RoleFault> {
    require(!name.is_empty(), RoleFault::BlankName)?;
    require(name.chars().count() <= MAX_ROLE_NAME_CHARS, RoleFault::LongName)?;
    require(!name.chars().any(char::is_control), RoleFault::BrokenName)
}

/// Checks a colour: `#` and six hexadecimal digits, or empty.
fn check_color(color: &str) -> Result<(), RoleFault> {
    let digits = color.strip_prefix('#').unwrap_or_default();
    let is_color = digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    require(color.is_empty() || is_color, RoleFault::Color)
}

/// Checks that the editor may create this role.
///
/// # Errors
/// [`RoleFault`] of the values, or of the editor.
pub fn may_create(editor: RoleEditor, new: &Role) -> Result<(), RoleFault> {
    check_values(new)?;
    require(!new.is_everyone() && !is_owners(new), RoleFault::Priority)?;
    may_pass_on(editor, flags(new), new.position)
}

/// Checks that the editor may turn the role `before` into `after`. Holders may change the name,
/// the colour and the badge of their own role, but not its permissions and its rank.
///
/// # Errors
/// [`RoleFault`] of the editor, or of the values.
pub fn may_update(editor: RoleEditor, before: &Role, after: &Role) -> Result<(), RoleFault> {
    let is_same_power =
        (before.permissions, before.position) == (after.permissions, after.position);
    match editor {
        RoleEditor::Staff { role: Some(own), .. } if own == before.id => {
            require(is_same_power, RoleFault::NotAllowed)?;
        }
        RoleEditor::Staff { .. } => must_be_below(editor, before.position)?,
        RoleEditor::Operator => {}
    }
    require(!is_owners(before) || is_same_power, RoleFault::OwnerRole)?;
    require(is_owners(before) || !is_owners(after), RoleFault::Priority)?;
    check_values(after)?;
    if is_same_power {
        return Ok(());
    }
    may_pass_on(editor, flags(after).without_all(flags(before)), after.position)
}

/// Checks that the editor may delete this role.
///
/// # Errors
/// [`RoleFault`] if the role is not below the editor, or must always exist.
pub fn may_delete(editor: RoleEditor, role: &Role) -> Result<(), RoleFault> {
    must_be_below(editor, role.position)?;
    require(!role.is_everyone(), RoleFault::BaseRoleDeleted)?;
    require(!is_owners(role), RoleFault::OwnerRoleDeleted)
}

/// Checks that the editor may replace the role of a user with the rank `present` by `role`. `None`
/// leaves the user with the base role.
///
/// # Errors
/// [`RoleFault`] if the user or the role is not below the editor, if the role grants what the
/// editor may not do, and for the base role.
pub fn may_assign(editor: RoleEditor, present: i32, role: Option<&Role>) -> Result<(), RoleFault> {
    must_be_below(editor, present)?;
    let Some(role) = role else { return Ok(()) };
    require(!role.is_everyone(), RoleFault::BaseRoleAssigned)?;
    must_be_below(editor, role.position)?;
    may_pass_on(editor, flags(role), role.position)
}

/// Returns the role that a user has in effect: the own one or the base role, with the permissions
/// that everyone has, and with all that an administrator may do.
#[must_use]
pub fn effective(role: Option<&Role>, everyone: &Role) -> Role {
    let role = role.unwrap_or(everyone);
    let permissions = (flags(role) | flags(everyone)).with_implied().bits();
    Role { permissions, ..role.clone() }
}

/// Checks that the editor is above a rank.
fn must_be_below(editor: RoleEditor, priority: i32) -> Result<(), RoleFault> {
    match editor {
        RoleEditor::Operator => Ok(()),
        RoleEditor::Staff { authority, .. } => {
            require(authority.outranks(priority), RoleFault::NotAllowed)
        }
    }
}

/// Checks that the editor has these permissions, and is above this rank.
fn may_pass_on(
    editor: RoleEditor,
    permissions: Permissions,
    priority: i32,
) -> Result<(), RoleFault> {
    match editor {
        RoleEditor::Operator => Ok(()),
        RoleEditor::Staff { authority, .. } => {
            require(authority.outranks(priority), RoleFault::PriorityTooHigh)?;
            require(authority.permissions.cover(permissions), RoleFault::Elevated)
        }
    }
}

/// Returns `true` for the role of the owners, which is above all custom roles.
const fn is_owners(role: &Role) -> bool {
    role.position > MAX_CUSTOM_PRIORITY
}

const fn flags(role: &Role) -> Permissions {
    Permissions::from_bits(role.permissions)
}

fn require(holds: bool, fault: RoleFault) -> Result<(), RoleFault> {
    if holds { Ok(()) } else { Err(fault) }
}

#[cfg(test)]
mod tests;
