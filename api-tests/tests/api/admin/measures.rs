//! `/api/v1/admin/measures`.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{TestApp, id, measures::number, trends::each};

const MEASURES: &str = "/api/v1/admin/measures";
const DAY: Duration = Duration::from_hours(24);

/// All measures, with the parameters that they need.
fn all(app: &TestApp) -> Value {
    let mut parameters = app.last_days(2);
    parameters["keys"] = json!([
        "active_users",
        "new_users",
        "interactions",
        "opened_reports",
        "resolved_reports",
        "tag_accounts",
        "tag_uses",
        "tag_servers",
        "instance_accounts",
        "instance_media_attachments",
        "instance_reports",
        "instance_statuses",
        "instance_follows",
        "instance_followers",
    ]);
    for key in ["tag_accounts", "tag_uses", "tag_servers"] {
        parameters[key] = json!({ "id": "1" });
    }
    for key in ["accounts", "media_attachments", "reports", "statuses", "follows", "followers"] {
        parameters[format!("instance_{key}")] = json!({ "domain": "far.example" });
    }
    parameters
}

api_tests! {
    // Nothing is computed for callers without permission.
    async fn scope_and_permission_come_first(app: &TestApp) {
        let (alice, staff) = (app.user("alice").await, app.staff("mo", "Moderator").await);
        let powerless = app.user_with_scopes(&alice, "read admin:read").await;
        let narrow = app.user_with_scopes(&staff, "admin:read:accounts admin:write").await;
        for path in [MEASURES, "/api/v1/admin/dimensions", "/api/v1/admin/retention"] {
            let wrong = json!({ "keys": ["new_users"], "start_at": "x" });
            for parameters in [json!({}), wrong, all(app)] {
                app.anonymous().json(path, parameters.clone()).await.expect(401);
                alice.json(path, parameters.clone()).await.expect(403);
                narrow.json(path, parameters.clone()).await.expect(403);
                let refused = powerless.json(path, parameters).await.expect(403);
                assert_eq!(refused["error"], "This action is not allowed");
            }
        }
        staff.json(MEASURES, all(app)).await.ok();
    }

    async fn every_measure_has_a_value_for_each_day(app: &TestApp) {
        let staff = app.staff("mo", "Moderator").await;
        let parameters = all(app);
        let measures = staff.json(MEASURES, parameters.clone()).await.ok();
        assert_eq!(json!(each(&measures, "key")), parameters["keys"]);
        for measure in measures.as_array().unwrap() {
            let data = measure["data"].as_array().unwrap();
            assert_eq!(data.len(), 3, "{measure}");
            let dates: Vec<&str> = data.iter().map(|day| day["date"].as_str().unwrap()).collect();
            assert!(dates.is_sorted() && dates[2].ends_with("T00:00:00.000Z"), "{dates:?}");
            assert_eq!(dates[2][..10], app.app().now().to_string()[..10]);
            assert!(data.iter().all(|day| number(&day["value"]).is_some()), "{measure}");
            assert!(measure["unit"].is_null());
            let is_of_server = measure["key"].as_str().unwrap().starts_with("instance_");
            assert_eq!(measure.get("previous_total").is_none(), is_of_server, "{measure}");
        }
    }

    async fn keys_and_times_are_checked(app: &TestApp) {
        let staff = app.staff("mo", "Moderator").await;
        let days = |start: &str, end: &str| {
            json!({ "keys": ["new_users"], "start_at": start, "end_at": end })
        };
        for (parameters, error) in [
            (json!({ "start_at": "2026-01-01", "end_at": "2026-01-02" }), "Keys can't be blank"),
            (
                json!({ "keys": [], "start_at": "2026-01-01", "end_at": "2026-01-02" }),
                "Keys can't be blank",
            ),
            (json!({ "keys": ["new_users"], "end_at": "2026-01-02" }), "Start at can't be blank"),
            (json!({ "keys": ["new_users"], "start_at": "2026-01-02" }), "End at can't be blank"),
            (days("yesterday", "2026-01-02"), "Start at is not a time"),
            (days("2026-01-01", "2026-02-30"), "End at is not a time"),
            (days("2026-01-02", "2026-01-01"), "End at must not be before the start"),
            (days("2025-01-01", "2026-01-02"), "At most 366 days can be requested at once"),
            (days("0001-01-01", "9999-12-31"), "At most 366 days can be requested at once"),
        ] {
            let refused = staff.json(MEASURES, parameters.clone()).await.expect(422);
            assert_eq!(refused["error"], format!("Validation failed: {error}"), "{parameters}");
        }
        for (start, end, length) in [
            ("2026-01-01", "2026-01-01", 1),
            ("2026-01-01T23:59:59.999Z", "2026-01-02T00:00:00+00:00", 2),
            ("2025-01-01", "2026-01-01", 366),
            ("0001-01-01", "0001-01-02", 2),
            ("9999-12-30", "9999-12-31", 2),
        ] {
            let measure = staff.measure("new_users", days(start, end)).await;
            assert_eq!(measure["data"].as_array().unwrap().len(), length, "{start} {end}");
            assert_eq!(measure["total"], "0");
        }
    }

    // Like Mastodon: other servers have measures that this one does not have.
    async fn unknown_keys_and_those_without_a_subject_are_left_out(app: &TestApp) {
        let staff = app.staff("mo", "Moderator").await;
        let mut parameters = app.last_days(1);
        let keys = ["x", "tag_uses", "instance_accounts", "new_users", "new_users", ""];
        parameters["keys"] = json!(keys);
        let measures = staff.json(MEASURES, parameters.clone()).await.ok();
        assert_eq!(each(&measures, "key"), ["new_users"]);
        parameters["keys"] = json!(["x"]);
        assert_eq!(staff.json(MEASURES, parameters.clone()).await.ok(), json!([]));
        parameters["keys"] = json!(["tag_uses", "instance_accounts"]);
        for (tag, domain) in [("x", "not a domain"), ("9223372036854775808", "..")] {
            parameters["tag_uses"] = json!({ "id": tag });
            parameters["instance_accounts"] = json!({ "domain": domain });
            let measures = staff.json(MEASURES, parameters.clone()).await.ok();
            assert_eq!(each(&measures, "total"), ["0", "0"]);
        }
    }

    async fn parameters_may_be_a_query_or_a_form(app: &TestApp) {
        let staff = app.staff("mo", "Moderator").await;
        let keys = "keys[]=new_users&keys[]=tag_uses";
        let days = "start_at=2026-01-01&end_at=2026-01-02";
        let path = format!("{MEASURES}?{keys}&{days}&tag_uses[id]=1");
        let by_query = staff.post(&path).await.ok();
        let form = [
            ("keys[]", "new_users"), ("keys[]", "tag_uses"), ("start_at", "2026-01-01"),
            ("end_at", "2026-01-02"), ("tag_uses[id]", "1"),
        ];
        assert_eq!(staff.form(MEASURES, &form).await.ok(), by_query);
        assert_eq!(each(&by_query, "key"), ["new_users", "tag_uses"]);
    }

    async fn users_are_counted_when_they_sign_up_and_when_they_are_active(app: &TestApp) {
        let people = [app.user("alice").await, app.user("bob").await];
        app.be_active_today(&people[0]).await;
        app.advance(3 * DAY);
        let staff = app.staff("mo", "Moderator").await;
        app.be_active_today(&people[0]).await;
        app.be_active_today(&people[1]).await;
        assert_eq!(staff.totals("new_users", app.last_days(2)).await, (1, Some(2)));
        assert_eq!(staff.totals("new_users", app.last_days(3)).await, (3, Some(0)));
        let active = staff.totals("active_users", app.last_days(2)).await;
        // The member of staff is active too, which is recorded at some time.
        assert!(matches!(active, (2 | 3, Some(1))), "{active:?}");
        let measure = staff.measure("active_users", app.last_days(3)).await;
        let values = each(&measure["data"], "value");
        assert_eq!(values[..3], ["1", "0", "0"]);
    }

    async fn interactions_of_a_day_are_counted_once_after_its_end(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = bob.publish("Hello").await;
        alice.act("favourite", &status).await;
        alice.act("reblog", &status).await;
        alice.reply(&status, "Hi").await;
        bob.reply(&status, "More").await;
        let staff = app.staff("mo", "Moderator").await;
        assert_eq!(staff.totals("interactions", app.last_days(1)).await.0, 3);
        app.advance(2 * DAY);
        app.app().count_days().await.unwrap();
        alice.act("favourite", &bob.publish("Hello again").await).await;
        let both = (4, Some(0));
        assert_eq!(staff.totals("interactions", app.last_days(3)).await, both);
        // The past does not change.
        bob.delete(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
        app.app().count_days().await.unwrap();
        assert_eq!(staff.totals("interactions", app.last_days(3)).await, both);
        assert_eq!(staff.totals("interactions", app.last_days(0)).await.0, 1);
    }

    async fn reports_are_counted_when_they_are_opened_and_when_resolved(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let (staff, report) = (app.staff("mo", "Moderator").await, alice.report(&bob).await);
        alice.report(&bob).await;
        app.advance(2 * DAY);
        staff.on_report(&report, "resolve").await;
        assert_eq!(staff.totals("opened_reports", app.last_days(2)).await, (2, Some(0)));
        assert_eq!(staff.totals("opened_reports", app.last_days(1)).await, (0, Some(2)));
        assert_eq!(staff.totals("resolved_reports", app.last_days(1)).await, (1, Some(0)));
    }

    async fn only_public_uses_of_a_hashtag_count(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        for text in ["#birds", "#birds again", "#cats"] {
            alice.publish(text).await;
        }
        bob.publish("#Birds").await;
        for visibility in ["unlisted", "private", "direct"] {
            bob.publish_as(json!({ "status": "#birds #secret", "visibility": visibility })).await;
        }
        let staff = app.staff("mo", "Moderator").await;
        let mut parameters = app.last_days(1);
        let birds = staff.get("/api/v1/tags/birds").await.ok();
        for (key, total) in [("tag_uses", 3), ("tag_accounts", 2), ("tag_servers", 1)] {
            parameters[key] = json!({ "id": birds["id"] });
            assert_eq!(staff.totals(key, parameters.clone()).await, (total, Some(0)), "{key}");
        }
        let secret = bob.post("/api/v1/tags/secret/follow").await.ok();
        parameters["tag_uses"] = json!({ "id": secret["id"] });
        assert_eq!(staff.totals("tag_uses", parameters).await.0, 0);
    }

    async fn another_server_is_measured_by_what_is_known_of_it(app: &TestApp) {
        let zoe = app.user_of("zoe", "far.example").await;
        app.user_of("yan", "other.example").await;
        let alice = app.user("alice").await;
        app.follow(&alice, &zoe).await;
        zoe.publish("Hello").await;
        let staff = app.staff("mo", "Moderator").await;
        let mut parameters = app.last_days(1);
        for (key, total) in [
            ("instance_accounts", 1), ("instance_statuses", 1), ("instance_follows", 1),
            ("instance_followers", 0), ("instance_reports", 0), ("instance_media_attachments", 0),
        ] {
            parameters[key] = json!({ "domain": "FAR.example" });
            assert_eq!(staff.totals(key, parameters.clone()).await, (total, None), "{key}");
        }
    }
}
