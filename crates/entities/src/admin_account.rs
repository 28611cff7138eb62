//! Accounts as staff see them.

use std::{net::IpAddr, sync::Arc};

use siskin_ids::{AccountId, ApplicationId};

use crate::{
    account::{Account, Role},
    named::{names, parses},
    time::Timestamp,
};

/// Account with the data that only staff see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdminAccount {
    /// The account, in any state.
    pub account: Arc<Account>,
    /// The user of a local account. `None` for a remote account.
    pub user: Option<AdminUser>,
}

impl AdminAccount {
    /// Returns `true` while the sign-up of a local account waits for a decision of the staff.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.user.as_ref().is_some_and(|user| !user.approved && user.rejected_at.is_none())
    }

    /// Returns `true` if staff rejected the sign-up. The account counts as deleted then.
    #[must_use]
    pub fn is_rejected(&self) -> bool {
        self.user.as_ref().is_some_and(|user| user.rejected_at.is_some())
    }

    /// Returns the address that was used last. `None` if none is known.
    #[must_use]
    pub fn last_ip(&self) -> Option<IpAddr> {
        self.user.as_ref()?.ips.first().map(|used| used.ip)
    }
}

/// User of a local account, as staff see them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdminUser {
    /// Email address.
    pub email: String,
    /// Addresses of the sign-up and of sign-ins, the last used one first.
    pub ips: Vec<UsedIp>,
    /// Language code of the user interface; `None` if the user has not chosen one.
    pub locale: Option<String>,
    /// What the person wrote when they signed up.
    pub sign_up_reason: Option<String>,
    /// Role of the user; `None` for the base role.
    pub role: Option<Role>,
    /// Whether the email address is confirmed.
    pub confirmed: bool,
    /// Whether staff approved the sign-up, or no approval was needed.
    pub approved: bool,
    /// Staff disabled sign-in for this user.
    pub disabled: bool,
    /// Application that was used to sign up; `None` for a page of this server.
    pub application: Option<ApplicationId>,
    /// Account that invited the user; `None` if there is none.
    pub invited_by: Option<AccountId>,
    /// Time when staff rejected the sign-up; `None` if they did not. Such an account is hidden, and
    /// deleted some time later.
    pub rejected_at: Option<Timestamp>,
}

/// Address from which a user signed up or signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsedIp {
    /// The address. An IPv4 address is never written as an IPv6 address.
    pub ip: IpAddr,
    /// Last time when it was used to sign up or to sign in.
    pub used_at: Timestamp,
}

/// Where accounts live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccountOrigin {
    /// On this server.
    Local,
    /// On other servers.
    Remote,
}

names!(AccountOrigin { Local = "local", Remote = "remote" });
parses!(
    /// Error for a name that is no origin.
    AccountOrigin, UnknownAccountOrigin: "unknown origin"
);

/// State by which staff select accounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AdminAccountState {
    /// Not suspended.
    Active,
    /// The sign-up waits for a decision of the staff.
    Pending,
    /// Staff disabled sign-in. Suspended accounts are left out.
    Disabled,
    /// Moderators marked all media as sensitive.
    Sensitized,
    /// Moderators limited the account.
    Silenced,
    /// Moderators suspended the account.
    Suspended,
    /// Staff rejected the sign-up a short time ago. No other state includes such an account.
    Rejected,
}

names!(AdminAccountState {
    Active = "active",
    Pending = "pending",
    Disabled = "disabled",
    Sensitized = "sensitized",
    Silenced = "silenced",
    Suspended = "suspended",
    Rejected = "rejected",
});
parses!(
    /// Error for a name that is no state of accounts.
    AdminAccountState, UnknownAdminAccountState: "unknown status"
);

/// Decision about a sign-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SignUpAction {
    /// The person may use the account.
    Approve,
    /// The account is deleted. Until that has happened, the decision can be undone.
    Reject,
    /// A rejected sign-up waits for a decision again.
    Restore,
}

names!(SignUpAction { Approve = "approve", Reject = "reject", Restore = "restore" });
parses!(
    /// Error for a name that is no decision about sign-ups.
    SignUpAction, UnknownSignUpAction: "unknown action"
);
