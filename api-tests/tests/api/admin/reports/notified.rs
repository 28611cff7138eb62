//! Staff learn of new reports by notifications and emails.

use serde_json::json;
use siskin_entities::AccountState;
use siskin_test_support::{MailSink, both_engines};

use super::REPORTS;
use crate::support::{GOOD, TestApp, with_mail};

const NOTIFICATIONS: &str = "/api/v1/notifications";

api_tests! {
    async fn staff_are_notified_of_a_report(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let moderator = app.staff("mod", "Moderator").await;
        let owner = app.staff("owner", "Owner").await;
        let rule = app.rule("Be kind").await;
        let status = bob.publish("Rude").await["id"].clone();
        let sent = json!({ "status_ids": [status], "comment": "Rude", "rule_ids": [rule] });
        let report = alice.report_as(&bob, sent).await;
        app.app().drain_jobs().await.unwrap();
        for staff in [&moderator, &owner] {
            let list = staff.get(NOTIFICATIONS).await.ok();
            assert_eq!(list.as_array().unwrap().len(), 1);
            let one = &list[0];
            assert_eq!((&one["type"], &one["account"]["id"]), (&json!("admin.report"), &json!(alice.id)));
            assert_eq!(one["group_key"], format!("ungrouped-{}", one["id"].as_str().unwrap()));
            assert_eq!(one.get("status"), None);
            let shown = &one["report"];
            assert_eq!((&shown["id"], &shown["target_account"]["id"]), (&json!(report), &json!(bob.id)));
            assert_eq!((&shown["category"], &shown["comment"]), (&json!("violation"), &json!("Rude")));
            assert_eq!((&shown["status_ids"], &shown["rule_ids"]), (&json!([status]), &json!([rule])));
            let path = format!("{NOTIFICATIONS}/{}", one["id"].as_str().unwrap());
            assert_eq!(staff.get(&path).await.ok(), *one);
            let groups = staff.get("/api/v2/notifications").await.ok();
            let group = &groups["notification_groups"][0];
            assert_eq!((&group["type"], &group["report"]), (&json!("admin.report"), shown));
            assert_eq!(group["sample_account_ids"], json!([alice.id]));
            let query = format!("{NOTIFICATIONS}?types[]=admin.report");
            assert_eq!(staff.get(&query).await.ids().len(), 1);
            let query = format!("{NOTIFICATIONS}?exclude_types[]=admin.report");
            assert_eq!(staff.get(&query).await.ok(), json!([]));
        }
        for user in [&alice, &bob] {
            assert_eq!(user.get(NOTIFICATIONS).await.ok(), json!([]));
        }
        // The state is that of the present.
        owner.on_report(&report, "resolve").await;
        assert_eq!(moderator.get(NOTIFICATIONS).await.ok()[0]["report"]["action_taken"], true);
    }

    async fn each_report_notifies_and_only_active_staff(app: &TestApp) {
        let bob = app.user("bob").await;
        let reporter = app.staff("reporter", "Moderator").await;
        let moderator = app.staff("mod", "Moderator").await;
        let suspended = app.staff("gone", "Moderator").await;
        app.set_state(&suspended, AccountState { suspended: true, ..GOOD }).await;
        for _ in 0..2 {
            reporter.report(&bob).await;
        }
        reporter.report(&moderator).await;
        app.app().drain_jobs().await.unwrap();
        // Neither the reporter nor the reported member is notified.
        assert_eq!(reporter.get(NOTIFICATIONS).await.ok(), json!([]));
        assert_eq!(moderator.get(NOTIFICATIONS).await.ids().len(), 2);
        app.set_state(&suspended, GOOD).await;
        assert_eq!(suspended.get(NOTIFICATIONS).await.ok(), json!([]));
    }

    // Blocks, mutes and the policy of a member of staff must not hide a report.
    async fn relations_do_not_hide_reports(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let first = app.staff("first", "Moderator").await;
        let second = app.staff("second", "Moderator").await;
        alice.act_on("block", &first).await;
        first.act_on("block", &alice).await;
        let strict = [("for_not_following", "drop"), ("for_new_accounts", "drop")];
        second.patch("/api/v2/notifications/policy", &strict).await.ok();
        let report = alice.report(&bob).await;
        app.app().drain_jobs().await.unwrap();
        for staff in [&first, &second] {
            let list = staff.get(NOTIFICATIONS).await.ok();
            assert_eq!(list[0]["report"]["id"], report.as_str());
            let groups = staff.get("/api/v2/notifications").await.ok();
            assert_eq!(groups["notification_groups"].as_array().unwrap().len(), 1);
        }
        app.set_state(&alice, AccountState { suspended: true, ..GOOD }).await;
        assert_eq!(first.get(NOTIFICATIONS).await.ids().len(), 1);
    }

    async fn former_staff_do_not_see_reports(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let moderator = app.staff("mod", "Moderator").await;
        alice.report(&bob).await;
        app.app().drain_jobs().await.unwrap();
        assert_eq!(moderator.get(NOTIFICATIONS).await.ids().len(), 1);
        app.give_role(&moderator, None).await;
        assert_eq!(moderator.get(NOTIFICATIONS).await.ok(), json!([]));
        moderator.get(REPORTS).await.expect(403);
    }
}

stream_tests! {
    async fn reports_are_streamed_to_staff(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let moderator = app.staff("mod", "Moderator").await;
        let mut socket = app.listen(&moderator, "stream=user:notification").await;
        let report = alice.report(&bob).await;
        app.app().drain_jobs().await.unwrap();
        let (event, shown) = socket.event().await;
        assert_eq!((event.as_str(), &shown["type"]), ("notification", &json!("admin.report")));
        assert_eq!(shown["report"]["id"], report.as_str());
        assert_eq!(shown, moderator.get(NOTIFICATIONS).await.ok()[0]);
    }
}

both_engines! {
    fn staff_get_one_email_about_each_report(database: &TestDatabase) {
        with_mail(database, async |app: &TestApp, sink: &MailSink| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            let moderator = app.staff("mod", "Moderator").await;
            app.staff("owner", "Owner").await;
            let sent = json!({ "category": "spam", "comment": "Buy\n\nhttps://spam.example <b>" });
            alice.report_as(&bob, sent).await;
            for to in ["mod@example.com", "owner@example.com"] {
                let mails = app.mails(sink, to).await;
                assert_eq!(mails.len(), 1);
                let text = mails[0].text();
                assert!(mails[0].header("subject").unwrap().starts_with("New report about @bob"));
                assert!(text.contains("@bob was reported") && text.contains("Category: spam"), "{text}");
                assert!(text.contains("> Buy") && text.contains("> https://spam.example <b>"), "{text}");
                assert!(text.contains(app.base_url()) && !text.contains("alice"), "{text}");
            }
            for to in ["alice@example.com", "bob@example.com"] {
                assert_eq!(app.mails(sink, to).await.len(), 0);
            }
            alice.report_as(&bob, json!({})).await;
            alice.report(&moderator).await;
            let mails = app.mails(sink, "mod@example.com").await;
            assert_eq!(mails.len(), 2);
            assert!(!mails[1].text().contains("The reporter wrote"));
            assert_eq!(app.mails(sink, "owner@example.com").await.len(), 3);
        });
    }
}
