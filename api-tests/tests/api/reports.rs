//! `POST /api/v1/reports`.

use serde_json::{Value, json};
use siskin_entities::AccountState;
use siskin_test_support::both_engines;

use crate::support::{GOOD, TestApp, User, id, reports::REPORTS, run};

const ADMIN: &str = "/api/v1/admin/reports";

fn not_found() -> Value {
    json!({ "error": "Record not found" })
}

async fn status_as(author: &User, visibility: &str) -> String {
    id(&author.publish_as(json!({ "status": "Hello", "visibility": visibility })).await)
}

api_tests! {
    async fn a_report_is_stored_as_it_was_sent(app: &TestApp) {
        let (alice, bob, staff) =
            (app.user("alice").await, app.user("bob").await, app.moderator("mod").await);
        let (first, second) = (id(&bob.publish("One").await), id(&bob.publish("Two").await));
        let rule = app.rule("Be kind").await;
        let report = alice.json(REPORTS, json!({
            "account_id": bob.id, "status_ids": [second, first, second], "comment": "Rude\n& long",
            "category": "violation", "rule_ids": [rule, rule], "forward": true,
            "collection_ids": ["1"],
        })).await.ok();
        assert_eq!(report["target_account"]["id"], bob.id.as_str());
        let created_at = report["created_at"].clone();
        assert_eq!(report, json!({
            "id": report["id"], "action_taken": false, "action_taken_at": null,
            "category": "violation", "comment": "Rude\n& long", "forwarded": false,
            "created_at": created_at, "status_ids": [second, first], "rule_ids": [rule],
            "target_account": report["target_account"],
        }));
        let shown = staff.reported(&id(&report)).await;
        assert_eq!(shown["account"]["id"], alice.id.as_str());
        assert_eq!(shown["target_account"]["id"], bob.id.as_str());
        for field in ["category", "comment", "forwarded", "created_at", "action_taken"] {
            assert_eq!(shown[field], report[field], "{field}");
        }
        assert_eq!(shown["updated_at"], created_at);
        assert_eq!(shown["statuses"][0]["id"], second.as_str());
        assert_eq!(shown["statuses"][1]["id"], first.as_str());
        assert_eq!((&shown["rules"][0]["id"], &shown["rules"][0]["text"]), (&json!(rule), &json!("Be kind")));
    }

    async fn all_encodings_are_equal(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = id(&bob.publish("One").await);
        let form = [
            ("account_id", bob.id.as_str()), ("status_ids[]", &status), ("comment", "x"),
            ("category", "spam"), ("forward", "0"), ("rule_ids[]", ""),
        ];
        let of_form = alice.form(REPORTS, &form).await.ok();
        let query = format!("{REPORTS}?account_id={}&status_ids[]={status}&comment=x&category=spam", bob.id);
        let of_query = alice.post(&query).await.ok();
        for report in [of_form, of_query] {
            assert_eq!(report["status_ids"], json!([status]));
            assert_eq!((&report["category"], &report["rule_ids"]), (&json!("spam"), &json!(null)));
        }
    }

    // The sent category is stored. Without one, rules make it a violation.
    async fn the_category_follows_the_documented_rules(app: &TestApp) {
        let (alice, bob, staff) =
            (app.user("alice").await, app.user("bob").await, app.moderator("mod").await);
        let rule = app.rule("Be kind").await;
        let none = Value::Null;
        for (sent, rules, category, stored) in [
            (json!({}), json!([]), "other", none.clone()),
            (json!({ "category": "" }), json!([]), "other", none.clone()),
            (json!({ "category": null }), json!([rule]), "violation", json!([rule])),
            (json!({ "category": "spam" }), json!([]), "spam", none.clone()),
            (json!({ "category": "legal" }), json!([]), "legal", none.clone()),
            (json!({ "category": "other" }), json!([]), "other", none),
            (json!({ "category": "spam" }), json!([rule]), "spam", json!([rule])),
            (json!({ "category": "violation" }), json!([rule]), "violation", json!([rule])),
        ] {
            let mut body = sent.clone();
            body["account_id"] = json!(bob.id);
            body["rule_ids"] = rules;
            let report = alice.json(REPORTS, body).await.ok();
            assert_eq!((&report["category"], &report["rule_ids"]), (&json!(category), &stored), "{sent}");
            let shown = staff.reported(&id(&report)).await;
            assert_eq!(shown["category"], category);
            assert_eq!(shown["rules"].as_array().unwrap().len(), stored.as_array().map_or(0, Vec::len));
        }
    }

    async fn wrong_categories_and_rules_are_refused(app: &TestApp) {
        let (alice, bob, staff) =
            (app.user("alice").await, app.user("bob").await, app.moderator("mod").await);
        let rule = app.rule("Be kind").await;
        for body in [
            json!({ "category": "rude" }),
            json!({ "category": "violation" }),
            json!({ "category": "violation", "rule_ids": [] }),
            json!({ "category": "violation", "rule_ids": ["1"] }),
            json!({ "rule_ids": [rule, "1"] }),
            json!({ "rule_ids": ["x"] }),
            json!({ "category": "spam", "rule_ids": ["1"] }),
        ] {
            let mut sent = body.clone();
            sent["account_id"] = json!(bob.id);
            let refused = alice.json(REPORTS, sent).await;
            assert_eq!(refused.status, 422, "{body}: {refused:?}");
            assert!(refused.json()["error"].as_str().unwrap().starts_with("Validation failed: "));
        }
        assert_eq!(staff.get(ADMIN).await.ok(), json!([]));
    }

    // The response does not reveal whether a hidden status exists.
    async fn hidden_and_foreign_statuses_are_not_found(app: &TestApp) {
        let (alice, bob, staff) =
            (app.user("alice").await, app.user("bob").await, app.moderator("mod").await);
        let carol = app.user("carol").await;
        let public = status_as(&bob, "public").await;
        let of_carol = carol.publish("Look").await;
        let reblog = bob.act("reblog", &of_carol).await;
        let of_bob = carol.act("reblog", &bob.publish("Mine").await).await;
        let deleted = status_as(&bob, "public").await;
        bob.delete(&format!("/api/v1/statuses/{deleted}")).await.ok();
        for hidden in [
            status_as(&bob, "private").await,
            status_as(&bob, "direct").await,
            status_as(&alice, "public").await,
            id(&of_carol),
            id(&of_bob),
            deleted,
            "115600000000000001".to_owned(),
            "0".to_owned(),
            "x".to_owned(),
        ] {
            for statuses in [json!([hidden]), json!([public, hidden])] {
                let body = json!({ "account_id": bob.id, "status_ids": statuses });
                assert_eq!(alice.json(REPORTS, body).await.expect(404), not_found(), "{hidden}");
            }
        }
        assert_eq!(staff.get(ADMIN).await.ok(), json!([]));
        app.app().drain_jobs().await.unwrap();
        assert_eq!(staff.get("/api/v1/notifications").await.ok(), json!([]));
        // A reblog belongs to the account that made it.
        alice.report_as(&bob, json!({ "status_ids": [public, id(&reblog)] })).await;
        app.follow(&alice, &bob).await;
        let private = status_as(&bob, "private").await;
        alice.report_as(&bob, json!({ "status_ids": [private] })).await;
        assert_eq!(staff.get(ADMIN).await.ids().len(), 2);
    }

    async fn accounts_that_do_not_exist_cannot_be_reported(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        for account in ["115600000000000001", "0", "x", ""] {
            let body = json!({ "account_id": account });
            assert_eq!(alice.json(REPORTS, body).await.expect(404), not_found(), "{account}");
        }
        assert_eq!(alice.json(REPORTS, json!({})).await.expect(404), not_found());
        for state in [
            AccountState { suspended: true, ..GOOD },
            AccountState { reachable: false, ..GOOD },
        ] {
            app.set_state(&bob, state).await;
            let body = json!({ "account_id": bob.id });
            assert_eq!(alice.json(REPORTS, body).await.expect(404), not_found(), "{state:?}");
        }
        app.set_state(&bob, AccountState { silenced: true, ..GOOD }).await;
        alice.report(&bob).await;
    }

    // Test suites of clients do so.
    async fn the_own_account_can_be_reported(app: &TestApp) {
        let (alice, staff) = (app.user("alice").await, app.moderator("mod").await);
        let status = id(&alice.publish("Hello").await);
        let body = json!({ "account_id": alice.id, "status_ids": [status] });
        let report = alice.json(REPORTS, body).await.ok();
        assert_eq!(report["target_account"]["id"], alice.id);
        assert_eq!(staff.get(ADMIN).await.ids(), [id(&report)]);
    }

    async fn long_texts_are_refused(app: &TestApp) {
        let (alice, bob, staff) =
            (app.user("alice").await, app.user("bob").await, app.moderator("mod").await);
        let comment = |length: usize| json!({ "account_id": bob.id, "comment": "é".repeat(length) });
        alice.json(REPORTS, comment(1001)).await.expect(422);
        let many: Vec<String> = (1..=41).map(|id| id.to_string()).collect();
        alice.json(REPORTS, json!({ "account_id": bob.id, "status_ids": many })).await.expect(422);
        assert_eq!(staff.get(ADMIN).await.ok(), json!([]));
        let report = alice.json(REPORTS, comment(1000)).await.ok();
        assert_eq!(report["comment"].as_str().unwrap().chars().count(), 1000);
    }

    // Blocks do not protect from reports, but statuses are hidden by them.
    async fn an_account_that_blocks_the_reporter_can_be_reported(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = id(&bob.publish("Hello").await);
        bob.act_on("block", &alice).await;
        let body = json!({ "account_id": bob.id, "status_ids": [status] });
        alice.json(REPORTS, body).await.expect(404);
        alice.report(&bob).await;
        bob.act_on("unblock", &alice).await;
        // One may block an account and then report what it wrote.
        alice.act_on("block", &bob).await;
        alice.report_as(&bob, json!({ "status_ids": [status] })).await;
    }

    async fn only_reports_of_remote_accounts_are_forwarded(app: &TestApp) {
        let (alice, zoe) = (app.user("alice").await, app.remote("zoe", "elsewhere.example").await);
        let bob = app.user("bob").await;
        for (account, forward, forwarded) in
            [(&zoe, true, true), (&zoe, false, false), (&bob.id, true, false)]
        {
            let body = json!({ "account_id": account, "forward": forward });
            assert_eq!(alice.json(REPORTS, body).await.ok()["forwarded"], forwarded);
        }
        let report = alice.json(REPORTS, json!({ "account_id": zoe })).await.ok();
        assert_eq!(report["forwarded"], false);
        assert_eq!(report["target_account"]["acct"], "zoe@elsewhere.example");
    }

    async fn reporting_needs_its_scope(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let body = json!({ "account_id": bob.id });
        app.anonymous().json(REPORTS, body.clone()).await.expect(401);
        app.application("write").await.json(REPORTS, body.clone()).await.expect(422);
        for (scopes, status) in
            [("read write:statuses", 403), ("write:reports", 200), ("write", 200)]
        {
            let client = app.user_with_scopes(&alice, scopes).await;
            assert_eq!(client.json(REPORTS, body.clone()).await.status, status, "{scopes}");
        }
    }

    async fn the_reported_account_learns_nothing(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = id(&bob.publish("Hello").await);
        let report = alice.report_as(&bob, json!({ "status_ids": [status] })).await;
        app.app().drain_jobs().await.unwrap();
        assert_eq!(bob.get("/api/v1/notifications").await.ok(), json!([]));
        bob.get(&format!("{ADMIN}/{report}")).await.expect(403);
        assert_eq!(bob.credentials().await.status, 200);
    }

    // Lists of a user do not contain a reported status that was deleted.
    async fn saved_statuses_can_be_reported_and_deleted(app: &TestApp) {
        let (alice, bob, staff) =
            (app.user("alice").await, app.user("bob").await, app.moderator("mod").await);
        let (status, other) = (bob.publish("One").await, bob.publish("Two").await);
        for status in [&status, &other] {
            alice.act("bookmark", status).await;
            alice.act("favourite", status).await;
        }
        let report = alice.report_as(&bob, json!({ "status_ids": [id(&status)] })).await;
        bob.delete(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
        for list in ["/api/v1/bookmarks", "/api/v1/favourites"] {
            assert_eq!(alice.get(list).await.ids(), [id(&other)]);
            assert_eq!(alice.walk(&format!("{list}?limit=1")).await, [id(&other)]);
        }
        let shown = staff.reported(&report).await;
        assert_eq!(shown["statuses"], json!([]));
        let resolved = staff.on_report(&report, "resolve").await;
        assert_eq!(resolved["action_taken"], true);
    }
}

both_engines! {
    fn the_number_of_reports_is_limited(database: &TestDatabase) {
        let configure = |config: &mut siskin_server::Config| {
            config.fixed_settings.retain(|(key, _)| key != "rate_limits.enabled");
            config.fixed_settings.push(("rate_limits.reports".to_owned(), "2".to_owned()));
        };
        run(database, configure, async |app: &TestApp| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            alice.report(&bob).await;
            let second = alice.json(REPORTS, json!({ "account_id": bob.id })).await;
            assert_eq!((second.status, second.header("x-ratelimit-remaining")), (200, Some("0")));
            alice.json(REPORTS, json!({ "account_id": bob.id })).await.expect(429);
            let carol = app.user("carol").await;
            carol.report(&bob).await;
        });
    }
}
