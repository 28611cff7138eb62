//! Tests of notifications.

use std::sync::Arc;

use serde_json::json as value;
use siskin_entities::{NotificationKind, StatusBody};
use siskin_wire::{notification, status, strike};

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

#[test]
fn a_warning_contains_the_strike_and_no_moderator() {
    let kind = NotificationKind::ModerationWarning;
    let shown = json(&notification::render(&samples::notification(kind), &urls(), NOW));
    let warning = &shown["moderation_warning"];
    assert_eq!((&shown["type"], shown.get("status")), (&value!("moderation_warning"), None));
    assert_eq!(warning["id"], "81");
    assert_eq!(warning["action"], "delete_statuses");
    assert_eq!(warning["text"], "Please be kind.");
    assert_eq!(warning["status_ids"], value!(["7003"]));
    assert_eq!(warning["appeal"], value!({ "text": "It was satire.", "state": "approved" }));
    assert_eq!(warning["target_account"]["id"], shown["account"]["id"]);
    let text = shown.to_string();
    assert!(
        !text.contains("\"99\"") && !text.contains("\"98\"") && !text.contains("\"82\""),
        "{text}"
    );
    let other = samples::notification(NotificationKind::Mention);
    assert_eq!(json(&notification::render(&other, &urls(), NOW)).get("moderation_warning"), None);
}

#[test]
fn staff_see_who_made_a_strike_and_what_was_deleted() {
    let (strike, appeal, alice) = (samples::strike(), samples::appeal(), samples::alice());
    let shown = json(&strike::render_for_staff(&appeal, &strike, Some(&alice), None, &urls()));
    assert_eq!(shown["strike"]["moderator"]["username"], "alice");
    assert_eq!(shown["decided_by"], value!(null));
    assert_eq!(shown["strike"]["report_id"], "82");
    assert_eq!(
        shown["strike"]["excerpts"],
        value!([{ "status_id": "7003", "text": "Unkind <words>" }])
    );
    let own = json(&strike::render_own(&strike, &urls()));
    assert_eq!(own["appeal_until"], "2026-12-17T08:00:00.123Z");
    assert_eq!((own.get("moderator"), own.get("excerpts")), (None, None));
}

#[test]
fn media_of_a_sensitized_account_are_sensitive() {
    let shown = |body: StatusBody| {
        let status = siskin_entities::Status::new(body);
        let deleted = json(&status::render_deleted(&status, &urls(), NOW));
        (
            json(&status::render(&status, &urls(), NOW))["sensitive"].clone(),
            deleted["sensitive"].clone(),
        )
    };
    let mut body = samples::body();
    let snapshot = body.snapshot_mut();
    snapshot.source.sensitive = false;
    snapshot.attachments = vec![samples::picture()];
    assert_eq!(shown(body.clone()), (value!(false), value!(false)));
    Arc::make_mut(&mut body.account).snapshot_mut().sensitized = true;
    assert_eq!(shown(body.clone()), (value!(true), value!(false)));
    body.snapshot_mut().attachments = Vec::new();
    assert_eq!(shown(body), (value!(false), value!(false)));
}
