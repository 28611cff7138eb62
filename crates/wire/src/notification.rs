//! Notifications.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use siskin_entities::{self as view, Timestamp};
use siskin_ids::NotificationId;

use crate::{
    account::{self, Account},
    report::{self, Report},
    status::{self, Status},
    strike::{self, AccountWarning},
    time::Instant,
    urls::Urls,
};

/// Notification for its recipient.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct Notification {
    /// Id, type and time. In JSON, the fields are those of the notification itself.
    #[serde(flatten)]
    pub event: NotificationEvent,
    /// Account that caused it.
    pub account: Account,
    /// Absent if the notification is about an account only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// What the moderators did; absent unless this is a warning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moderation_warning: Option<AccountWarning>,
    /// The report that it is about; absent unless the recipient is staff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<Report>,
}

/// Type and time of a notification.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct NotificationEvent {
    /// Id of the notification.
    pub id: NotificationId,
    /// Cause: a name of [`view::NotificationKind`], or another one from other servers.
    #[serde(rename = "type")]
    pub kind: Cow<'static, str>,
    /// Time of the cause.
    pub created_at: Instant,
    /// Key of the group of similar notifications that contains this one.
    #[serde(default)]
    pub group_key: String,
}

/// Renders a notification for its recipient at `now`.
#[must_use]
pub fn render(notification: &view::Notification, urls: &Urls, now: Timestamp) -> Notification {
    Notification {
        event: render_event(notification),
        account: account::render(&notification.account, urls),
        status: notification.status.as_ref().map(|status| status::render(status, urls, now)),
        moderation_warning: render_warning(notification.record.as_ref(), urls),
        report: render_report(notification.record.as_ref(), urls),
    }
}

/// Renders the report that a notification is about.
pub(crate) fn render_report(
    record: Option<&view::NotificationRecord>,
    urls: &Urls,
) -> Option<Report> {
    match record? {
        view::NotificationRecord::Report(shown) => Some(report::render(shown, urls)),
        view::NotificationRecord::Strike(_) => None,
    }
}

/// Renders the strike that a notification is about.
pub(crate) fn render_warning(
    record: Option<&view::NotificationRecord>,
    urls: &Urls,
) -> Option<AccountWarning> {
    match record? {
        view::NotificationRecord::Strike(strike) => Some(strike::render(strike, urls)),
        view::NotificationRecord::Report(_) => None,
    }
}

pub(crate) fn render_event(notification: &view::Notification) -> NotificationEvent {
    NotificationEvent {
        id: notification.id,
        kind: notification.kind.as_str().into(),
        created_at: Instant(notification.created_at),
        group_key: notification.group_key().to_string(),
    }
}
