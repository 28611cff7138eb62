//! Accounts as staff see them.

use std::{borrow::Cow, net::IpAddr};

use serde::{Deserialize, Serialize};
use siskin_entities as view;
use siskin_ids::{AccountId, ApplicationId};

use crate::{
    account::{self, Account, Role},
    lenient::{application_id, null_as_default},
    time::Instant,
    urls::Urls,
};

/// Account with the data that only staff see. A remote account has no user on this server: then
/// `email` is empty, and what belongs to the user is null or `false`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent field of the interface")]
pub struct AdminAccount {
    /// Id of the account on this server.
    pub id: AccountId,
    /// Name without the domain.
    pub username: String,
    /// Domain of a remote account; null for a local one.
    pub domain: Option<String>,
    /// Time when the account was created.
    pub created_at: Instant,
    /// Email address; empty for a remote account.
    #[serde(default, deserialize_with = "null_as_default")]
    pub email: String,
    /// Address that was used last; null if none is known.
    pub ip: Option<IpAddr>,
    /// Addresses of the sign-up and of sign-ins, the last used one first.
    #[serde(default, deserialize_with = "null_as_default")]
    pub ips: Vec<AdminIp>,
    /// Language code of the user interface; null if the user has not chosen one.
    pub locale: Option<String>,
    /// What the person wrote when they signed up; null if nothing.
    pub invite_request: Option<String>,
    /// Role of the user. A user without a role, and a remote account, has the base role.
    #[serde(default, deserialize_with = "null_as_default")]
    pub role: Role,
    /// Whether the email address is confirmed.
    #[serde(default, deserialize_with = "null_as_default")]
    pub confirmed: bool,
    /// Whether the sign-up does not wait for a decision of the staff.
    #[serde(default, deserialize_with = "null_as_default")]
    pub approved: bool,
    /// Whether staff disabled sign-in for the user.
    #[serde(default, deserialize_with = "null_as_default")]
    pub disabled: bool,
    /// Whether moderators marked all media of the account as sensitive.
    #[serde(default, deserialize_with = "null_as_default")]
    pub sensitized: bool,
    /// Whether moderators limited the account.
    #[serde(default, deserialize_with = "null_as_default")]
    pub silenced: bool,
    /// Whether moderators suspended the account.
    #[serde(default, deserialize_with = "null_as_default")]
    pub suspended: bool,
    /// The public profile.
    pub account: Account,
    /// Application that was used to sign up; absent if there was none.
    #[serde(default, deserialize_with = "application_id", skip_serializing_if = "Option::is_none")]
    pub created_by_application_id: Option<ApplicationId>,
    /// Account that invited the user; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invited_by_account_id: Option<AccountId>,
}

/// Address that a user used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminIp {
    /// The address.
    pub ip: IpAddr,
    /// Last time when it was used to sign up or to sign in.
    pub used_at: Instant,
}

/// Renders an account for staff.
#[must_use]
pub fn render(shown: &view::AdminAccount, urls: &Urls) -> AdminAccount {
    let account = &shown.account;
    let user = shown.user.as_ref();
    AdminAccount {
        id: account.id,
        username: account.username.clone(),
        domain: account.domain.clone(),
        created_at: Instant(account.created_at),
        email: user.map(|user| user.email.clone()).unwrap_or_default(),
        ip: shown.last_ip(),
        ips: user.map(|user| user.ips.iter().map(render_ip).collect()).unwrap_or_default(),
        locale: user.and_then(|user| user.locale.clone()),
        invite_request: user.and_then(|user| user.sign_up_reason.clone()),
        role: account::render_role(user.and_then(|user| user.role.as_ref())),
        confirmed: user.is_some_and(|user| user.confirmed),
        approved: user.is_some_and(|user| user.approved),
        disabled: user.is_some_and(|user| user.disabled),
        sensitized: account.sensitized,
        silenced: account.state.silenced,
        suspended: account.state.suspended,
        account: account::render(account, urls),
        created_by_application_id: user.and_then(|user| user.application),
        invited_by_account_id: user.and_then(|user| user.invited_by),
    }
}

fn render_ip(used: &view::UsedIp) -> AdminIp {
    AdminIp { ip: used.ip, used_at: Instant(used.used_at) }
}

/// What a decision did to one of several accounts or reports: an extension of the interface.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct DecisionResult {
    /// Id of the account or report, as it was sent.
    pub id: String,
    /// A name of [`view::DecisionResult`].
    pub status: Cow<'static, str>,
}

/// Renders what a decision did to the account or report `id`.
#[must_use]
pub fn render_result(id: &str, result: view::DecisionResult) -> DecisionResult {
    DecisionResult { id: id.to_owned(), status: result.as_str().into() }
}
