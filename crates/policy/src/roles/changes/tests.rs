use proptest::prelude::*;
use siskin_ids::AccountId;

use super::*;
use crate::roles::{DefaultRole, Permission};

fn role(id: i64, permissions: i64, position: i32) -> Role {
    Role {
        id: RoleId::new(id),
        name: "Helper".to_owned(),
        permissions,
        position,
        ..Role::everyone()
    }
}

fn staff(role: i64, permissions: Permissions, priority: i32) -> RoleEditor {
    let authority = Authority { account: AccountId::new(1), permissions, priority };
    RoleEditor::Staff { authority, role: Some(RoleId::new(role)) }
}

fn admin() -> RoleEditor {
    staff(2, DefaultRole::Admin.permissions(), 100)
}

fn owner() -> Role {
    role(3, DefaultRole::Owner.permissions().bits(), DefaultRole::Owner.priority())
}

const REPORTS: i64 = 0x10;
const DEVOPS: i64 = 0x2;
const INVITE: i64 = 0x1_0000;

#[test]
fn values_are_checked() {
    let plain = role(7, REPORTS, 10);
    let name = |name: &str| Role { name: name.to_owned(), ..plain.clone() };
    let color = |color: &str| Role { color: color.to_owned(), ..plain.clone() };
    for (case, expected) in [
        (plain.clone(), Ok(())),
        (name(""), Err(RoleFault::BlankName)),
        (name(&"é".repeat(MAX_ROLE_NAME_CHARS)), Ok(())),
        (name(&"e".repeat(MAX_ROLE_NAME_CHARS + 1)), Err(RoleFault::LongName)),
        (name("Two\nlines"), Err(RoleFault::BrokenName)),
        (color("#3366cc"), Ok(())),
        (color("#3366CC"), Ok(())),
        (color("3366cc"), Err(RoleFault::Color)),
        (color("#36c"), Err(RoleFault::Color)),
        (color("#3366cg"), Err(RoleFault::Color)),
        (color("#3366\u{e9}"), Err(RoleFault::Color)),
        (role(7, 0, 1), Ok(())),
        (role(7, 0, MAX_CUSTOM_PRIORITY), Ok(())),
        (role(7, 0, 0), Err(RoleFault::Priority)),
        (role(7, 0, -1), Err(RoleFault::Priority)),
        (role(7, 0x20_0000, 10), Err(RoleFault::UnknownPermission)),
        (role(7, -1, 10), Err(RoleFault::UnknownPermission)),
        (Role::everyone(), Ok(())),
        (Role { permissions: INVITE, ..Role::everyone() }, Ok(())),
        (Role { permissions: REPORTS, ..Role::everyone() }, Err(RoleFault::UnsafeForEveryone)),
        (Role { permissions: 1, ..Role::everyone() }, Err(RoleFault::UnsafeForEveryone)),
        (Role { position: 1, ..Role::everyone() }, Err(RoleFault::BaseRole)),
        (Role { name: "All".to_owned(), ..Role::everyone() }, Err(RoleFault::BaseRole)),
        (Role { highlighted: true, ..Role::everyone() }, Err(RoleFault::BaseRole)),
    ] {
        assert_eq!(check_values(&case), expected, "{case:?}");
    }
}

#[test]
fn the_messages_name_the_limits() {
    assert!(RoleFault::LongName.to_string().contains(&MAX_ROLE_NAME_CHARS.to_string()));
    assert!(RoleFault::Priority.to_string().contains(&MAX_CUSTOM_PRIORITY.to_string()));
    assert!(RoleFault::TooMany.to_string().contains(&MAX_ROLES.to_string()));
}

#[test]
fn staff_create_roles_below_their_own() {
    for (editor, new, expected) in [
        (admin(), role(7, REPORTS, 99), Ok(())),
        (admin(), role(7, REPORTS, 100), Err(RoleFault::PriorityTooHigh)),
        (admin(), role(7, REPORTS, 999), Err(RoleFault::PriorityTooHigh)),
        (admin(), role(7, DEVOPS, 99), Err(RoleFault::Elevated)),
        (admin(), role(7, 1, 99), Err(RoleFault::Elevated)),
        (staff(3, DefaultRole::Owner.permissions(), 1000), role(7, 1, 999), Ok(())),
        (RoleEditor::Operator, role(7, 1, 999), Ok(())),
        (RoleEditor::Operator, role(7, 1, 1000), Err(RoleFault::Priority)),
        (RoleEditor::Operator, Role::everyone(), Err(RoleFault::Priority)),
    ] {
        assert_eq!(may_create(editor, &new), expected, "{editor:?} {new:?}");
    }
}

#[test]
fn staff_change_roles_below_their_own() {
    let (low, equal, own) = (role(7, REPORTS, 10), role(8, REPORTS, 100), role(2, REPORTS, 100));
    let renamed = |role: &Role| Role { name: "Other".to_owned(), ..role.clone() };
    let with = |role: &Role, permissions| Role { permissions, ..role.clone() };
    let at = |role: &Role, position| Role { position, ..role.clone() };
    let powerful = role(7, DEVOPS | REPORTS, 10);
    let (everyone, owner) = (Role::everyone(), owner());
    for (editor, before, after, expected) in [
        (admin(), &low, renamed(&low), Ok(())),
        (admin(), &low, at(&low, 99), Ok(())),
        (admin(), &low, at(&low, 100), Err(RoleFault::PriorityTooHigh)),
        (admin(), &low, with(&low, DEVOPS), Err(RoleFault::Elevated)),
        (admin(), &equal, renamed(&equal), Err(RoleFault::NotAllowed)),
        (admin(), &own, renamed(&own), Ok(())),
        (admin(), &own, with(&own, 0), Err(RoleFault::NotAllowed)),
        (admin(), &own, at(&own, 50), Err(RoleFault::NotAllowed)),
        // What a role has already is not granted again.
        (admin(), &powerful, renamed(&powerful), Ok(())),
        (admin(), &powerful, with(&powerful, DEVOPS), Ok(())),
        (admin(), &powerful, at(&powerful, 20), Ok(())),
        (admin(), &owner, renamed(&owner), Err(RoleFault::NotAllowed)),
        (admin(), &everyone, with(&everyone, INVITE), Ok(())),
        (RoleEditor::Operator, &owner, renamed(&owner), Ok(())),
        (RoleEditor::Operator, &owner, with(&owner, REPORTS), Err(RoleFault::OwnerRole)),
        (RoleEditor::Operator, &owner, at(&owner, 999), Err(RoleFault::OwnerRole)),
        (RoleEditor::Operator, &low, at(&low, 1000), Err(RoleFault::Priority)),
        (RoleEditor::Operator, &everyone, renamed(&everyone), Err(RoleFault::BaseRole)),
    ] {
        assert_eq!(may_update(editor, before, &after), expected, "{editor:?} {before:?} {after:?}");
    }
}

#[test]
fn some_roles_always_exist() {
    for (editor, role, expected) in [
        (admin(), role(7, 0, 99), Ok(())),
        (admin(), role(7, DEVOPS, 99), Ok(())),
        (admin(), role(2, 0, 100), Err(RoleFault::NotAllowed)),
        (admin(), owner(), Err(RoleFault::NotAllowed)),
        (admin(), Role::everyone(), Err(RoleFault::BaseRoleDeleted)),
        (RoleEditor::Operator, role(2, 0, 100), Ok(())),
        (RoleEditor::Operator, Role::everyone(), Err(RoleFault::BaseRoleDeleted)),
        (RoleEditor::Operator, owner(), Err(RoleFault::OwnerRoleDeleted)),
    ] {
        assert_eq!(may_delete(editor, &role), expected, "{editor:?} {role:?}");
    }
}

#[test]
fn roles_are_assigned_to_users_below() {
    let low = role(7, REPORTS, 10);
    for (editor, present, given, expected) in [
        (admin(), 0, Some(&low), Ok(())),
        (admin(), 99, None, Ok(())),
        (admin(), 100, None, Err(RoleFault::NotAllowed)),
        (admin(), 1000, Some(&low), Err(RoleFault::NotAllowed)),
        (admin(), 0, Some(&role(2, REPORTS, 100)), Err(RoleFault::NotAllowed)),
        (admin(), 0, Some(&owner()), Err(RoleFault::NotAllowed)),
        (admin(), 0, Some(&role(7, DEVOPS, 10)), Err(RoleFault::Elevated)),
        (admin(), 0, Some(&Role::everyone()), Err(RoleFault::BaseRoleAssigned)),
        (RoleEditor::Operator, 1000, None, Ok(())),
        (RoleEditor::Operator, 0, Some(&owner()), Ok(())),
        (RoleEditor::Operator, 0, Some(&Role::everyone()), Err(RoleFault::BaseRoleAssigned)),
    ] {
        assert_eq!(may_assign(editor, present, given), expected, "{editor:?} {present} {given:?}");
    }
}

#[test]
fn users_have_the_permissions_of_everyone() {
    let everyone = Role { permissions: INVITE, ..Role::everyone() };
    assert_eq!(effective(None, &everyone), everyone);
    assert_eq!(effective(Some(&role(7, REPORTS, 10)), &everyone).permissions, REPORTS | INVITE);
    let of_owner = effective(Some(&owner()), &everyone);
    assert_eq!((of_owner.permissions, of_owner.position), (Permissions::ALL.bits(), 1000));
}

fn any_role() -> impl Strategy<Value = Role> {
    (1..9_i64, 0..=Permissions::ALL.bits(), 1..=MAX_CUSTOM_PRIORITY)
        .prop_map(|(id, permissions, position)| role(id, permissions, position))
}

fn any_staff() -> impl Strategy<Value = (RoleEditor, Authority)> {
    any_role().prop_map(|role| {
        let permissions = flags(&role).with(Permission::ManageRoles);
        let editor = staff(role.id.get(), permissions, role.position);
        let account = AccountId::new(1);
        (editor, Authority { account, permissions, priority: role.position })
    })
}

fn is_own(editor: RoleEditor, role: &Role) -> bool {
    matches!(editor, RoleEditor::Staff { role: Some(own), .. } if own == role.id)
}

proptest! {
    // No role that staff write or assign exceeds their own.
    #[test]
    fn staff_never_exceed_themselves(
        (editor, authority) in any_staff(),
        before in any_role(),
        after in any_role(),
        present in 0..=1000,
    ) {
        let after = Role { id: before.id, ..after };
        let within = |role: &Role| {
            authority.outranks(role.position) && authority.permissions.cover(flags(role))
        };
        if may_create(editor, &after).is_ok() {
            prop_assert!(within(&after));
        }
        if may_update(editor, &before, &after).is_ok() {
            prop_assert!(authority.outranks(before.position) || is_own(editor, &before));
            let granted = flags(&after).without_all(flags(&before));
            prop_assert!(authority.permissions.cover(granted));
            prop_assert!(authority.outranks(after.position) || after.position == before.position);
        }
        if may_assign(editor, present, Some(&after)).is_ok() {
            prop_assert!(within(&after) && authority.outranks(present));
        }
        if may_delete(editor, &before).is_ok() {
            prop_assert!(authority.outranks(before.position));
        }
    }

    #[test]
    fn the_power_of_owners_never_changes(after in any_role(), position in 0..=2000) {
        let after = Role { id: owner().id, position, ..after };
        let is_same = (after.permissions, after.position) == (1, 1000);
        prop_assert_eq!(may_update(RoleEditor::Operator, &owner(), &after).is_ok(), is_same);
    }
}
