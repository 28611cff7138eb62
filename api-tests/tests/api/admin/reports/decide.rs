//! What staff do with reports: assignment, resolution, and changes.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use siskin_entities::{
    Actor,
    AuditAction::{self, Assign, Reopen, Resolve, Unassign, Update},
    AuditEntry,
};

use super::REPORTS;

/// Number of simultaneous requests.
const MANY: usize = 50;

fn actions(entries: &[AuditEntry]) -> Vec<AuditAction> {
    entries.iter().rev().map(|entry| entry.action).collect()
}

api_tests! {
    async fn a_report_is_assigned_and_released(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let (first, second) =
            (app.staff("first", "Moderator").await, app.staff("second", "Moderator").await);
        let report = alice.report(&bob).await;
        assert_eq!(first.reported(&report).await["assigned_account"], json!(null));
        for _ in 0..2 {
            let shown = first.on_report(&report, "assign_to_self").await;
            assert_eq!(shown["assigned_account"]["id"], first.id.as_str());
            assert_eq!(shown["action_taken"], false);
        }
        let shown = second.on_report(&report, "assign_to_self").await;
        assert_eq!(shown["assigned_account"]["id"], second.id.as_str());
        for _ in 0..2 {
            let shown = first.on_report(&report, "unassign").await;
            assert_eq!(shown["assigned_account"], json!(null));
        }
        let entries = app.audit_of_report(&report).await;
        assert_eq!(actions(&entries), [Assign, Assign, Unassign]);
        assert_eq!(entries[0].actor, Actor::Staff(first.id.parse().unwrap()));
        assert_eq!(entries[1].actor_name, "second");
        assert_eq!(entries[0].target.name, "@bob");
    }

    async fn a_report_is_resolved_and_reopened(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let (first, second) =
            (app.staff("first", "Moderator").await, app.staff("second", "Moderator").await);
        let report = alice.report(&bob).await;
        let before = first.reported(&report).await;
        app.advance(Duration::from_secs(5));
        let resolved = first.on_report(&report, "resolve").await;
        assert_eq!(resolved["action_taken"], true);
        assert_eq!(resolved["action_taken_by_account"]["id"], first.id.as_str());
        assert_eq!(resolved["action_taken_at"], resolved["updated_at"]);
        assert_ne!(resolved["updated_at"], before["updated_at"]);
        assert_eq!(resolved["created_at"], before["created_at"]);
        // The first decision counts.
        app.advance(Duration::from_secs(5));
        assert_eq!(second.on_report(&report, "resolve").await, resolved);
        for _ in 0..2 {
            let open = second.on_report(&report, "reopen").await;
            assert_eq!((&open["action_taken"], &open["action_taken_at"]), (&json!(false), &json!(null)));
            assert_eq!(open["action_taken_by_account"], json!(null));
        }
        assert_eq!(actions(&app.audit_of_report(&report).await), [Resolve, Reopen]);
    }

    async fn category_and_rules_can_be_changed(app: &TestApp) {
        let (alice, bob, staff) =
            (app.user("alice").await, app.user("bob").await, app.moderator("mod").await);
        let (first, second) = (app.rule("Be kind").await, app.rule("No spam").await);
        let report = alice.report(&bob).await;
        let path = format!("{REPORTS}/{report}");
        let change = async |body: serde_json::Value| {
            staff.send(staff.request(reqwest::Method::PUT, &path).json(&body)).await
        };
        for (body, category, rules) in [
            (json!({}), "other", vec![]),
            (json!({ "category": "spam" }), "spam", vec![]),
            (json!({ "category": "violation", "rule_ids": [second, first] }), "violation", vec![&second, &first]),
            (json!({ "rule_ids": [first] }), "violation", vec![&first]),
            (json!({ "category": "legal" }), "legal", vec![&first]),
            (json!({ "rule_ids": [] }), "legal", vec![]),
            (json!({ "category": null, "rule_ids": null }), "legal", vec![]),
        ] {
            let shown = change(body.clone()).await.ok();
            let shown_rules: Vec<_> = shown["rules"].as_array().unwrap().iter().map(|rule| &rule["id"]).collect();
            assert_eq!(shown["category"], category, "{body}");
            assert_eq!(shown_rules, rules, "{body}");
        }
        for body in [
            json!({ "category": "rude" }),
            json!({ "category": "violation" }),
            json!({ "category": "violation", "rule_ids": [] }),
            json!({ "rule_ids": ["1"] }),
            json!({ "rule_ids": ["x"] }),
        ] {
            assert_eq!(change(body.clone()).await.status, 422, "{body}");
        }
        assert_eq!(staff.reported(&report).await["category"], "legal");
        // Equal values change nothing.
        change(json!({ "category": "legal", "rule_ids": [] })).await.ok();
        assert_eq!(actions(&app.audit_of_report(&report).await), [Update; 5]);
    }

    async fn a_rule_that_was_deleted_meanwhile_does_not_hinder_staff(app: &TestApp) {
        let (alice, bob, staff) =
            (app.user("alice").await, app.user("bob").await, app.moderator("mod").await);
        let rule = app.rule("Be kind").await;
        let report = alice.report_as(&bob, json!({ "rule_ids": [rule] })).await;
        let gone = rule.parse().unwrap();
        let delete = move |tx: &mut siskin_persistence::Tx<'_>| {
            Ok(siskin_persistence::rules::delete(tx, gone)?)
        };
        app.app().write(delete).await.unwrap();
        let shown = staff.reported(&report).await;
        assert_eq!((&shown["category"], &shown["rules"]), (&json!("violation"), &json!([])));
        let path = format!("{REPORTS}/{report}");
        staff.put(&path, &[("category", "spam")]).await.ok();
        staff.put(&path, &[("category", "violation")]).await.ok();
        alice.json("/api/v1/reports", json!({ "account_id": bob.id, "rule_ids": [rule] })).await.expect(422);
    }

    async fn parallel_decisions_have_one_result_and_one_entry_each(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let (first, second) =
            (app.staff("first", "Moderator").await, app.staff("second", "Moderator").await);
        let report = alice.report(&bob).await;
        let act = async |number: usize, action: &str| {
            let staff = if number.is_multiple_of(2) { &first } else { &second };
            staff.on_report(&report, action).await
        };
        let all = join_all((0..MANY).map(|number| act(number, "resolve"))).await;
        assert!(all.iter().all(|shown| shown["action_taken"] == true));
        assert!(all.iter().all(|shown| shown["action_taken_by_account"]["id"] == all[0]["action_taken_by_account"]["id"]));
        assert_eq!(actions(&app.audit_of_report(&report).await), [Resolve]);
        join_all((0..MANY).map(|number| act(number, "reopen"))).await;
        let shown = first.reported(&report).await;
        assert_eq!(shown["action_taken"], false);
        let entries = app.audit_of_report(&report).await;
        assert_eq!(actions(&entries), [Resolve, Reopen]);
        // Resolutions and reopenings alternate in any order.
        let mixed = |number: usize| act(number, if number % 4 < 2 { "resolve" } else { "reopen" });
        join_all((0..MANY).map(mixed)).await;
        let entries = app.audit_of_report(&report).await;
        for (position, action) in actions(&entries).into_iter().enumerate() {
            let expected =
                if position.is_multiple_of(2) { Resolve } else { Reopen };
            assert_eq!(action, expected, "{position}");
        }
        let is_resolved = entries[0].action == Resolve;
        assert_eq!(first.reported(&report).await["action_taken"], is_resolved);
    }
}
