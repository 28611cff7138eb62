//! Policies about notifications by senders that the recipient may not know, and the requests of
//! filtered senders.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use siskin_entities::{self as view, PolicyRule};
use siskin_ids::NotificationRequestId;

use crate::{
    account::{self, Account},
    status::{self, Status},
    time::Instant,
    urls::Urls,
};

/// Policy of an account. Each action is a name of [`view::PolicyAction`].
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct NotificationPolicy {
    /// Action for accounts that the recipient does not follow.
    pub for_not_following: Cow<'static, str>,
    /// Action for accounts that do not follow the recipient, or only for a short time.
    pub for_not_followers: Cow<'static, str>,
    /// Action for accounts that were created a short time ago.
    pub for_new_accounts: Cow<'static, str>,
    /// Action for private mentions by accounts that the recipient does not follow.
    pub for_private_mentions: Cow<'static, str>,
    /// Action for accounts that moderators limited.
    pub for_limited_accounts: Cow<'static, str>,
    /// What waits for the recipient's decision.
    pub summary: PolicySummary,
}

/// Numbers of what waits for the recipient's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub struct PolicySummary {
    /// Number of requests.
    pub pending_requests_count: i64,
    /// Number of filtered notifications.
    pub pending_notifications_count: i64,
}

/// Sender of filtered notifications.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct NotificationRequest {
    /// Id of the request.
    pub id: NotificationRequestId,
    /// Time of the first filtered notification.
    pub created_at: Instant,
    /// Time of the last filtered notification.
    pub updated_at: Instant,
    /// Number of filtered notifications, in decimal.
    pub notifications_count: String,
    /// The sender.
    pub account: Account,
    /// Last status of a filtered notification; absent if there is none or it is not visible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_status: Option<Status>,
}

/// Whether accepted notifications are among the others already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
pub struct Merged {
    /// Whether no acceptance is still in progress.
    pub merged: bool,
}

/// Renders a policy.
#[must_use]
pub fn render(
    policy: &view::NotificationPolicy,
    pending: view::PendingNotifications,
) -> NotificationPolicy {
    let name = |rule| Cow::Borrowed(policy.action(rule).as_str());
    NotificationPolicy {
        for_not_following: name(PolicyRule::NotFollowing),
        for_not_followers: name(PolicyRule::NotFollowers),
        for_new_accounts: name(PolicyRule::NewAccounts),
        for_private_mentions: name(PolicyRule::PrivateMentions),
        for_limited_accounts: name(PolicyRule::LimitedAccounts),
        summary: PolicySummary {
            pending_requests_count: pending.requests,
            pending_notifications_count: pending.notifications,
        },
    }
}

/// Renders a request for its recipient at `now`.
#[must_use]
pub fn render_request(
    request: &view::NotificationRequest,
    urls: &Urls,
    now: view::Timestamp,
) -> NotificationRequest {
    NotificationRequest {
        id: request.id,
        created_at: Instant(request.created_at),
        updated_at: Instant(request.updated_at),
        notifications_count: request.count.to_string(),
        account: account::render(&request.account, urls),
        last_status: request.last_status.as_ref().map(|one| status::render(one, urls, now)),
    }
}
