//! Tests of notifications.

use siskin_entities::NotificationKind;
use siskin_wire::notification;

use crate::samples::{self, NOW, json, urls};

#[test]
fn a_notification_has_account_kind_and_time() {
    let shown =
        notification::render(&samples::notification(NotificationKind::Mention), &urls(), NOW);
    let shown = json(&shown);
    assert_eq!(shown["id"], "55");
    assert_eq!(shown["type"], "mention");
    assert_eq!(shown["group_key"], "ungrouped-55");
    assert_eq!(shown["created_at"], "2026-11-27T08:00:00.123Z");
    assert_eq!(shown["account"]["acct"], "bob@remote.example");
    assert_eq!(shown["status"]["id"], "7001");
}

#[test]
fn a_notification_about_an_account_has_no_status() {
    for kind in [NotificationKind::Follow, NotificationKind::FollowRequest] {
        let shown = json(&notification::render(&samples::notification(kind), &urls(), NOW));
        assert_eq!(shown["type"], kind.as_str());
        assert_eq!(shown.get("status"), None);
    }
}
