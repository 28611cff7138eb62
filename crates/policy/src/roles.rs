//! Permissions of roles, and the roles that every server starts with.
//!
//! This module knows no accounts. The rows, names and colours of roles are stored elsewhere; only
//! the consequences of their flags are defined here.

mod changes;

use std::{
    fmt,
    ops::{BitOr, BitOrAssign},
};

use siskin_ids::AccountId;

pub use changes::{
    MAX_ROLE_NAME_CHARS, MAX_ROLES, RoleEditor, RoleFault, check_values, effective, may_assign,
    may_create, may_delete, may_update,
};

/// Permission that a role can grant. The number is its bit in [`Permissions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i64)]
pub enum Permission {
    /// Grants all permissions, independent of the other flags.
    Administrator = 0x1,
    /// See job queues and performance.
    Devops = 0x2,
    /// Read the log of moderation actions.
    ViewAuditLog = 0x4,
    /// See the dashboard and its metrics.
    ViewDashboard = 0x8,
    /// Read and resolve reports, and act on the reported accounts and statuses.
    ManageReports = 0x10,
    /// Block and allow domains.
    ManageFederation = 0x20,
    /// Change the server's settings.
    ManageSettings = 0x40,
    /// Block IP addresses, email addresses and email domains.
    ManageBlocks = 0x80,
    /// Review trends, and change settings of hashtags.
    ManageTaxonomies = 0x100,
    /// Decide appeals against moderation.
    ManageAppeals = 0x200,
    /// See details of accounts and act on them.
    ManageUsers = 0x400,
    /// See and revoke all invitations.
    ManageInvites = 0x800,
    /// Change the server's rules.
    ManageRules = 0x1000,
    /// Write announcements.
    ManageAnnouncements = 0x2000,
    /// Add and remove custom emojis.
    ManageCustomEmojis = 0x4000,
    /// Set up web hooks.
    ManageWebhooks = 0x8000,
    /// Invite others to the server.
    InviteUsers = 0x1_0000,
    /// Assign and change roles below the own role.
    ManageRoles = 0x2_0000,
    /// Reset second factors, passwords and email addresses of other users.
    ManageUserAccess = 0x4_0000,
    /// Delete the data of suspended accounts immediately.
    DeleteUserData = 0x8_0000,
    /// Read public timelines, also of hashtags and links, even if they are disabled for other users.
    ViewLiveAndTopicFeeds = 0x10_0000,
}

impl Permission {
    /// All permissions, in the order of their bits.
    pub const ALL: &'static [Self] = &[
        Self::Administrator,
        Self::Devops,
        Self::ViewAuditLog,
        Self::ViewDashboard,
        Self::ManageReports,
        Self::ManageFederation,
        Self::ManageSettings,
        Self::ManageBlocks,
        Self::ManageTaxonomies,
        Self::ManageAppeals,
        Self::ManageUsers,
        Self::ManageInvites,
        Self::ManageRules,
        Self::ManageAnnouncements,
        Self::ManageCustomEmojis,
        Self::ManageWebhooks,
        Self::InviteUsers,
        Self::ManageRoles,
        Self::ManageUserAccess,
        Self::DeleteUserData,
        Self::ViewLiveAndTopicFeeds,
    ];

    /// Returns the name of the flag, such as `manage_reports`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Administrator => "administrator",
            Self::Devops => "devops",
            Self::ViewAuditLog => "view_audit_log",
            Self::ViewDashboard => "view_dashboard",
            Self::ManageReports => "manage_reports",
            Self::ManageFederation => "manage_federation",
            Self::ManageSettings => "manage_settings",
            Self::ManageBlocks => "manage_blocks",
            Self::ManageTaxonomies => "manage_taxonomies",
            Self::ManageAppeals => "manage_appeals",
            Self::ManageUsers => "manage_users",
            Self::ManageInvites => "manage_invites",
            Self::ManageRules => "manage_rules",
            Self::ManageAnnouncements => "manage_announcements",
            Self::ManageCustomEmojis => "manage_custom_emojis",
            Self::ManageWebhooks => "manage_webhooks",
            Self::InviteUsers => "invite_users",
            Self::ManageRoles => "manage_roles",
            Self::ManageUserAccess => "manage_user_access",
            Self::DeleteUserData => "delete_user_data",
            Self::ViewLiveAndTopicFeeds => "view_live_and_topic_feeds",
        }
    }

    /// Returns the flag with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|permission| permission.as_str() == name)
    }

    const fn bit(self) -> i64 {
        self as i64
    }
}

/// Permissions of which a role must grant at least one, as a type, like
/// [`crate::scopes::RequiredScope`].
pub trait RequiredPermission: 'static {
    /// Any one of these permissions is sufficient.
    const ANY: &'static [Permission];
}

macro_rules! required {
    ($($name:ident),+ $(,)?) => { $(
        #[doc = concat!("Requires [`Permission::", stringify!($name), "`].")]
        #[derive(Debug, Clone, Copy)]
        pub struct $name;

        impl RequiredPermission for $name {
            const ANY: &'static [Permission] = &[Permission::$name];
        }
    )+ };
}

required! {
    DeleteUserData,
    Devops,
    InviteUsers,
    ManageAnnouncements,
    ManageAppeals,
    ManageBlocks,
    ManageCustomEmojis,
    ManageFederation,
    ManageInvites,
    ManageReports,
    ManageRoles,
    ManageRules,
    ManageSettings,
    ManageTaxonomies,
    ManageUserAccess,
    ManageUsers,
    ViewAuditLog,
    ViewDashboard,
}

/// Requires [`Permission::ManageUsers`] or [`Permission::ManageReports`]: moderation actions belong
/// to both.
#[derive(Debug, Clone, Copy)]
pub struct ModerateUsers;

impl RequiredPermission for ModerateUsers {
    const ANY: &'static [Permission] = &[Permission::ManageUsers, Permission::ManageReports];
}

/// Requires a permission that opens at least one page of the staff.
#[derive(Debug, Clone, Copy)]
pub struct AnyStaff;

impl RequiredPermission for AnyStaff {
    const ANY: &'static [Permission] = &[
        Permission::Devops,
        Permission::ViewAuditLog,
        Permission::ViewDashboard,
        Permission::ManageReports,
        Permission::ManageFederation,
        Permission::ManageSettings,
        Permission::ManageBlocks,
        Permission::ManageTaxonomies,
        Permission::ManageAppeals,
        Permission::ManageUsers,
        Permission::ManageInvites,
        Permission::ManageRules,
        Permission::ManageAnnouncements,
        Permission::ManageCustomEmojis,
        Permission::ManageRoles,
    ];
}

/// What the role of an account lets it do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Authority {
    /// The account.
    pub account: AccountId,
    /// Permissions of its role, with those that everyone has.
    pub permissions: Permissions,
    /// Rank of its role; 0 without a role.
    pub priority: i32,
}

impl Authority {
    /// Returns `true` if the role grants the permission.
    #[must_use]
    pub const fn can(self, permission: Permission) -> bool {
        self.permissions.can(permission)
    }

    /// Returns `true` if the role grants at least one of the permissions.
    #[must_use]
    pub fn can_any(self, permissions: &[Permission]) -> bool {
        permissions.iter().any(|permission| self.can(*permission))
    }

    /// Returns `true` if the account may act on an account with this rank: nobody acts on their
    /// equals or on someone above, and nobody on themselves.
    #[must_use]
    pub const fn outranks(self, priority: i32) -> bool {
        self.priority > priority
    }
}

/// Flags of a role as one number, which is stored, and sent in decimal.
///
/// ```
/// use siskin_policy::roles::{Permission, Permissions};
///
/// let flags = Permissions::NONE.with(Permission::ManageReports);
/// assert_eq!((flags.bits(), flags.can(Permission::ManageUsers)), (16, false));
/// assert!(flags.with(Permission::Administrator).can(Permission::ManageUsers));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Permissions(i64);

impl Permissions {
    /// No permissions.
    pub const NONE: Self = Self(0);
    /// All permissions that this version knows.
    pub const ALL: Self = Self(0x1f_ffff);

    /// Returns the flags of a stored number. Unknown bits are preserved and grant nothing.
    #[must_use]
    pub const fn from_bits(bits: i64) -> Self {
        Self(bits)
    }

    /// Returns the number to store.
    #[must_use]
    pub const fn bits(self) -> i64 {
        self.0
    }

    /// Returns these flags with one added.
    #[must_use]
    pub const fn with(self, permission: Permission) -> Self {
        Self(self.0 | permission.bit())
    }

    /// Returns these flags with one removed.
    #[must_use]
    pub const fn without(self, permission: Permission) -> Self {
        Self(self.0 & !permission.bit())
    }

    /// Returns these flags with all those of `others` removed.
    #[must_use]
    pub const fn without_all(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// Returns these flags with those that [`Permission::Administrator`] implies.
    #[must_use]
    pub const fn with_implied(self) -> Self {
        if self.can(Permission::Administrator) { Self(self.0 | Self::ALL.0) } else { self }
    }

    /// Returns `true` if these flags grant all of `others`.
    #[must_use]
    pub const fn cover(self, others: Self) -> bool {
        self.can(Permission::Administrator) || others.without_all(self).0 == 0
    }

    /// Returns `true` if the role grants it. [`Permission::Administrator`] implies all others.
    #[must_use]
    pub const fn can(self, permission: Permission) -> bool {
        self.0 & (permission.bit() | Permission::Administrator.bit()) != 0
    }

    /// Returns `true` if these flags open at least one page of the staff.
    #[must_use]
    pub fn are_of_staff(self) -> bool {
        AnyStaff::ANY.iter().any(|permission| self.can(*permission))
    }

    /// Iterates over the set flags, without implied ones.
    pub fn iter(self) -> impl Iterator<Item = Permission> {
        Permission::ALL.iter().copied().filter(move |permission| self.0 & permission.bit() != 0)
    }
}

impl BitOr for Permissions {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Permissions {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl FromIterator<Permission> for Permissions {
    fn from_iter<I: IntoIterator<Item = Permission>>(permissions: I) -> Self {
        permissions.into_iter().fold(Self::NONE, Self::with)
    }
}

impl fmt::Display for Permissions {
    /// Writes the decimal number that the API uses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Permissions that the base role can grant to all users. All others are for staff.
pub const EVERYONE_PERMISSIONS: Permissions = Permissions::NONE.with(Permission::InviteUsers);

/// Highest priority of a custom role; only owners are above it.
pub const MAX_CUSTOM_PRIORITY: i32 = 999;

/// Role that every server has initially.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DefaultRole {
    /// Base role of all users.
    Everyone,
    /// Moderates accounts, reports and trends.
    Moderator,
    /// Manages the server, except for operations.
    Admin,
    /// Has all permissions.
    Owner,
}

impl DefaultRole {
    /// All roles, lowest first.
    pub const ALL: [Self; 4] = [Self::Everyone, Self::Moderator, Self::Admin, Self::Owner];

    /// Returns the initial name; empty for the base role, which is never displayed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Everyone => "",
            Self::Moderator => "Moderator",
            Self::Admin => "Admin",
            Self::Owner => "Owner",
        }
    }

    /// Returns the rank: a role holder can only act on users with a lower priority.
    #[must_use]
    pub const fn priority(self) -> i32 {
        match self {
            Self::Everyone => 0,
            Self::Moderator => 10,
            Self::Admin => 100,
            Self::Owner => 1000,
        }
    }

    /// Returns the initial flags.
    #[must_use]
    pub fn permissions(self) -> Permissions {
        match self {
            Self::Everyone => Permissions::NONE,
            Self::Moderator => [
                Permission::ViewDashboard,
                Permission::ViewAuditLog,
                Permission::ManageUsers,
                Permission::ManageReports,
                Permission::ManageTaxonomies,
            ]
            .into_iter()
            .collect(),
            Self::Admin => Permission::ALL
                .iter()
                .copied()
                .filter(|flag| !matches!(flag, Permission::Administrator | Permission::Devops))
                .collect(),
            Self::Owner => Permissions::NONE.with(Permission::Administrator),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn permissions_are_in_the_order_of_their_bits() {
        for (position, permission) in Permission::ALL.iter().enumerate() {
            assert_eq!(permission.bit(), 1 << position, "{}", permission.as_str());
            assert_eq!(Permission::from_name(permission.as_str()), Some(*permission));
        }
        assert_eq!(Permission::ALL.iter().copied().collect::<Permissions>(), Permissions::ALL);
        assert_eq!(Permission::from_name("Administrator"), None);
    }

    #[test]
    fn an_administrator_can_do_all() {
        let owner = DefaultRole::Owner.permissions();
        assert!(Permission::ALL.iter().all(|permission| owner.can(*permission)));
        assert_eq!(owner.to_string(), "1");
        assert_eq!(owner.iter().collect::<Vec<_>>(), [Permission::Administrator]);
    }

    #[test]
    fn default_roles_have_the_documented_flags() {
        let moderator = DefaultRole::Moderator.permissions();
        assert_eq!(moderator.bits(), 0x4 | 0x8 | 0x10 | 0x100 | 0x400);
        assert!(!moderator.can(Permission::ManageFederation));
        let admin = DefaultRole::Admin.permissions();
        assert!(admin.can(Permission::ManageRoles) && !admin.can(Permission::Devops));
        assert!(!admin.can(Permission::Administrator));
        assert!(Permission::ALL.iter().all(|p| !DefaultRole::Everyone.permissions().can(*p)));
    }

    #[test]
    fn every_default_role_but_the_base_role_is_of_staff() {
        for role in DefaultRole::ALL {
            let is_staff = role.permissions().are_of_staff();
            assert_eq!(is_staff, role != DefaultRole::Everyone, "{role:?}");
        }
        assert!(!EVERYONE_PERMISSIONS.are_of_staff());
        assert!(!Permissions::NONE.with(Permission::ViewLiveAndTopicFeeds).are_of_staff());
    }

    #[test]
    fn only_owners_rank_above_custom_roles() {
        assert!(DefaultRole::Admin.priority() < MAX_CUSTOM_PRIORITY);
        assert!(DefaultRole::Owner.priority() > MAX_CUSTOM_PRIORITY);
    }

    proptest! {
        #[test]
        fn bits_round_trip(bits: i64) {
            prop_assert_eq!(Permissions::from_bits(bits).bits(), bits);
            let known = Permissions::from_bits(bits & 0x1f_ffff);
            prop_assert_eq!(known.iter().collect::<Permissions>(), known);
        }

        #[test]
        fn a_flag_allows_itself_and_no_other(
            flag in proptest::sample::select(&Permission::ALL[1..]),
            other in proptest::sample::select(Permission::ALL),
        ) {
            let role = Permissions::NONE.with(flag);
            prop_assert_eq!(role.can(other), flag == other);
            prop_assert_eq!(role.without(flag), Permissions::NONE);
        }
    }
}
