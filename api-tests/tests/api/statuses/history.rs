//! `GET /api/v1/statuses/{id}/history`.

use serde_json::{Value, json};

use crate::support::id;

fn path(status: &Value) -> String {
    format!("/api/v1/statuses/{}/history", id(status))
}

api_tests! {
    // The history lists all versions in the order in which they were written, also for a status
    // that was never edited.
    async fn versions_come_in_the_order_in_which_they_were_written(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("v1").await;
        assert_eq!(app.anonymous().get(&path(&status)).await.ok().as_array().unwrap().len(), 1);
        for (text, warning) in [("v2", ""), ("v3", "careful")] {
            app.advance(std::time::Duration::from_secs(5));
            let form = [("status", text), ("spoiler_text", warning)];
            alice.put(&format!("/api/v1/statuses/{}", id(&status)), &form).await.ok();
        }
        let history = app.anonymous().get(&path(&status)).await.ok();
        let history = history.as_array().unwrap();
        let contents: Vec<&Value> = history.iter().map(|version| &version["content"]).collect();
        assert_eq!(contents, ["<p>v1</p>", "<p>v2</p>", "<p>v3</p>"]);
        assert_eq!(history[0]["created_at"], status["created_at"]);
        assert!(history.is_sorted_by_key(|version| version["created_at"].as_str().unwrap()));
        assert_eq!(history[2]["spoiler_text"], "careful");
        assert_eq!((&history[1]["sensitive"], &history[2]["sensitive"]), (&json!(false), &json!(true)));
        for version in history {
            assert_eq!(version["account"]["id"], alice.id.as_str());
            assert_eq!(version["emojis"], json!([]));
            assert!(version.get("poll").is_none());
        }
        let shown = alice.get(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
        assert_eq!(history[2]["created_at"], shown["edited_at"]);
    }

    async fn a_long_history_is_the_original_and_the_newest_versions(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("v0").await;
        for number in 1..=104 {
            let text = format!("v{number}");
            alice.put(&format!("/api/v1/statuses/{}", id(&status)), &[("status", text)]).await.ok();
        }
        let history = app.anonymous().get(&path(&status)).await.ok();
        let contents: Vec<&str> =
            history.as_array().unwrap().iter().map(|it| it["content"].as_str().unwrap()).collect();
        assert_eq!(contents.len(), 100);
        assert_eq!(contents[..2], ["<p>v0</p>", "<p>v6</p>"]);
        assert_eq!(contents[99], "<p>v104</p>");
    }

    // The history is hidden from viewers that cannot see the status, and from tokens without the
    // scope.
    async fn the_history_is_visible_like_its_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish_as(json!({ "status": "x", "visibility": "private" })).await;
        let unknown = app.anonymous().get("/api/v1/statuses/9/history").await.expect(404);
        assert_eq!(app.anonymous().get(&path(&status)).await.expect(404), unknown);
        assert_eq!(bob.get(&path(&status)).await.expect(404), unknown);
        app.follow(&bob, &alice).await;
        bob.get(&path(&status)).await.ok();
        app.user_with_scopes(&bob, "read").await.get(&path(&status)).await.ok();
        app.user_with_scopes(&bob, "read:accounts").await.get(&path(&status)).await.expect(403);
    }

    async fn the_history_of_a_reblog_is_that_of_the_original_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello").await;
        let reblog = bob.act("reblog", &status).await;
        let history = app.anonymous().get(&path(&reblog)).await.ok();
        assert_eq!(history[0]["content"], "<p>hello</p>");
        assert_eq!(history[0]["account"]["id"], alice.id.as_str());
    }

    async fn versions_are_deleted_with_the_status(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("hello").await;
        let shown = format!("/api/v1/statuses/{}", id(&status));
        alice.put(&shown, &[("status", "bye")]).await.ok();
        alice.delete(&shown).await.ok();
        app.anonymous().get(&path(&status)).await.expect(404);
    }
}
