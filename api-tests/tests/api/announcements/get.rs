//! `GET /api/v1/announcements`.

use std::time::Duration;

use serde_json::json;
use siskin_entities::{AccountState, announcement::Period};
use siskin_test_support::both_engines;

use super::{LIST, contents, list, react};
use crate::support::{TestApp, id, pictures::png, run};

const HOUR: Duration = Duration::from_secs(3600);

async fn period(app: &TestApp, from_hours: u32, to_hours: u32) -> Option<Period> {
    let at = |hours: u32| app.app().now().after(HOUR.saturating_mul(hours));
    Period::of_times(at(from_hours), at(to_hours))
}

api_tests! {
    async fn users_with_any_scope_get_the_announcements(app: &TestApp) {
        let alice = app.user("alice").await;
        assert_eq!(list(&alice).await, Vec::<serde_json::Value>::new());
        app.announce("Tea\n\nand <cake>").await;
        let pusher = app.user_with_scopes(&alice, "push").await;
        let response = pusher.get(LIST).await;
        assert_eq!(response.header("content-type"), Some("application/json"));
        assert_eq!(response.header("link"), None);
        let shown = &response.ok()[0];
        assert_eq!(shown["content"], "<p>Tea</p><p>and &lt;cake&gt;</p>");
        assert_eq!((&shown["starts_at"], &shown["ends_at"]), (&json!(null), &json!(null)));
        assert_eq!((&shown["all_day"], &shown["read"]), (&json!(false), &json!(false)));
        assert_eq!(shown["published_at"], shown["updated_at"]);
        for field in ["mentions", "statuses", "tags", "emojis", "reactions"] {
            assert_eq!(shown[field], json!([]), "{field}");
        }
    }

    async fn anonymous_callers_and_applications_get_no_announcements(app: &TestApp) {
        app.announce("Tea").await;
        let refused = app.anonymous().get(LIST).await.expect(401);
        assert_eq!(refused, json!({ "error": "The access token is invalid" }));
        let refused = app.application("read").await.get(LIST).await.expect(422);
        assert_eq!(refused, json!({ "error": "This method requires an authenticated user" }));
    }

    async fn mentions_hashtags_statuses_and_emojis_of_the_text_are_listed(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.remote("zoe", "elsewhere.example").await;
        app.emoji("cat", None, png(20, 20)).await;
        let public = id(&alice.publish("Hello").await);
        let private = json!({ "status": "x", "visibility": "private" });
        let private = id(&alice.publish_as(private).await);
        let base = app.base_url();
        app.announce(&format!(
            "@alice @Alice @zoe@elsewhere.example @unknown #Tea :cat: :dog: {base}/@alice/{public} \
             {base}/users/alice/statuses/{public} {base}/@bob/{public} {base}/@alice/{private}"
        ))
        .await;
        let shown = list(&bob).await.remove(0);
        let html = shown["content"].as_str().unwrap();
        assert!(html.contains("u-url mention") && html.contains("mention hashtag"), "{html}");
        assert!(html.contains("@unknown") && html.contains(":cat:"), "{html}");
        assert_eq!(shown["mentions"][0], json!({
            "id": alice.id, "username": "alice", "acct": "alice", "url": format!("{base}/@alice"),
        }));
        assert_eq!(shown["mentions"][1]["acct"], "zoe@elsewhere.example");
        assert_eq!(shown["mentions"].as_array().unwrap().len(), 2);
        assert_eq!(shown["tags"], json!([{ "name": "tea", "url": format!("{base}/tags/tea") }]));
        let url = format!("{base}/@alice/{public}");
        assert_eq!(shown["statuses"], json!([{ "id": public, "url": url }]));
        assert_eq!(shown["emojis"].as_array().unwrap().len(), 1);
        assert_eq!(shown["emojis"][0]["shortcode"], "cat");

        // Each read renders the text again, so it names no deleted account.
        let suspended = AccountState { suspended: true, silenced: false, reachable: true };
        app.set_state(&alice, suspended).await;
        let shown = list(&bob).await.remove(0);
        assert_eq!(shown["mentions"].as_array().unwrap().len(), 1);
        assert_eq!(shown["statuses"], json!([]));
    }

    async fn announcements_of_events_are_shown_until_the_end(app: &TestApp) {
        let alice = app.user("alice").await;
        app.announce_event("Later", period(app, 5, 6).await).await;
        app.announce_event("Soon", period(app, 1, 2).await).await;
        app.announce("Now").await;
        assert_eq!(contents(&alice).await, ["<p>Now</p>", "<p>Soon</p>", "<p>Later</p>"]);
        let shown = list(&alice).await.remove(1);
        assert!(shown["starts_at"].is_string() && shown["ends_at"].is_string());
        app.advance(HOUR.saturating_mul(2));
        // The rule holds before the job has run.
        assert_eq!(contents(&alice).await, ["<p>Now</p>", "<p>Later</p>"]);
        app.app().drain_jobs().await.unwrap();
        assert_eq!(contents(&alice).await, ["<p>Now</p>", "<p>Later</p>"]);
    }

    async fn whole_days_end_at_midnight(app: &TestApp) {
        let alice = app.user("alice").await;
        let now = app.app().now();
        app.announce_event("Today", Period::of_days(now, now)).await;
        let shown = list(&alice).await.remove(0);
        assert_eq!(shown["all_day"], true);
        assert!(shown["starts_at"].as_str().unwrap().ends_with("T00:00:00.000Z"));
        assert!(shown["ends_at"].as_str().unwrap().ends_with("T23:59:59.999Z"));
        app.advance(HOUR.saturating_mul(24));
        assert_eq!(contents(&alice).await, [""; 0]);
    }

    async fn a_scheduled_announcement_is_published_at_its_time(app: &TestApp) {
        let alice = app.user("alice").await;
        let at = app.app().now().after(HOUR);
        let scheduled = app.announce_at("Tea", None, Some(at)).await;
        let cancelled = app.announce_at("Coffee", None, Some(at)).await;
        app.app().drain_jobs().await.unwrap();
        assert_eq!(contents(&alice).await, [""; 0]);
        react(&alice, scheduled, "🐦").await.expect(404);
        app.withdraw(cancelled).await;
        app.advance(HOUR);
        app.app().drain_jobs().await.unwrap();
        assert_eq!(contents(&alice).await, ["<p>Tea</p>"]);
        react(&alice, scheduled, "🐦").await.ok();
    }

    async fn withdrawn_and_deleted_announcements_are_not_shown(app: &TestApp) {
        let alice = app.user("alice").await;
        let (withdrawn, deleted) = (app.announce("Tea").await, app.announce("Coffee").await);
        react(&alice, deleted, "🐦").await.ok();
        app.withdraw(withdrawn).await;
        app.delete_announcement(deleted).await;
        assert_eq!(contents(&alice).await, [""; 0]);
    }

    async fn an_edit_changes_text_and_time_of_the_change(app: &TestApp) {
        let alice = app.user("alice").await;
        let announcement = app.announce("Tea").await;
        app.advance(HOUR);
        app.edit_announcement(announcement, "Coffee").await;
        let shown = list(&alice).await.remove(0);
        assert_eq!(shown["id"], json!(announcement));
        assert_eq!(shown["content"], "<p>Coffee</p>");
        assert_ne!(shown["published_at"], shown["updated_at"]);
    }
}

both_engines! {
    fn many_announcements_need_as_many_statements_as_one(database: &TestDatabase) {
        run(database, |config| config.count_statements = true, async |app: &TestApp| {
            let alice = app.user("alice").await;
            app.emoji("cat", None, png(20, 20)).await;
            let status = id(&alice.publish("Hello").await);
            let text = format!("@alice #tea :cat: {}/@alice/{status}", app.base_url());
            let cost = async || {
                alice.get(LIST).await.ok();
                drop(app.app().store().take_counted());
                alice.get(LIST).await.ok();
                let counted = app.app().store().take_counted();
                let reads = counted.iter().filter(|cost| {
                    !cost.writes && cost.at.file().contains("crates/http")
                });
                reads.map(|cost| cost.statements).sum::<u32>()
            };
            react(&alice, app.announce(&text).await, "cat").await.ok();
            let one = cost().await;
            for _ in 0..12 {
                let announcement = app.announce(&text).await;
                react(&alice, announcement, "cat").await.ok();
                react(&alice, announcement, "🐦").await.ok();
            }
            assert_eq!(list(&alice).await.len(), 13);
            assert_eq!(cost().await, one);
            assert!(one > 0);
        });
    }
}
