//! Notifications.

use serde::Serialize;
use siskin_entities::{self as view, Timestamp};
use siskin_ids::NotificationId;

use crate::{
    account::{self, Account},
    status::{self, Status},
    time::Instant,
    urls::Urls,
};

/// What happened to the reader.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Notification {
    #[serde(flatten)]
    pub event: NotificationEvent,
    /// Who caused it.
    pub account: Account,
    /// Absent where it is about an account alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
}

/// What happened and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotificationEvent {
    pub id: NotificationId,
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub created_at: Instant,
    /// Each notification is a group of its own.
    pub group_key: String,
}

/// The notification as its recipient sees it at `now`.
#[must_use]
pub fn render(notification: &view::Notification, urls: &Urls, now: Timestamp) -> Notification {
    Notification {
        event: render_event(notification),
        account: account::render(&notification.account, urls),
        status: notification.status.as_ref().map(|status| status::render(status, urls, now)),
    }
}

pub(crate) fn render_event(notification: &view::Notification) -> NotificationEvent {
    NotificationEvent {
        id: notification.id,
        kind: notification.kind.as_str(),
        created_at: Instant(notification.created_at),
        group_key: format!("ungrouped-{}", notification.id),
    }
}
