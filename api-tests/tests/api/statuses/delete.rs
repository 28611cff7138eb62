//! `DELETE /api/v1/statuses/{id}`.

use serde_json::json;

use crate::support::id;

api_tests! {
    // The response to a deletion contains the source text, the poll and the attachments, for a
    // redraft.
    async fn deleting_a_status_returns_its_source(app: &TestApp) {
        let alice = app.user("alice").await;
        app.user("bob").await;
        let text = "  Hi @bob#tag <b> & \"q\" \n";
        let status =
            alice.publish_as(json!({ "status": text, "spoiler_text": "a <warning>" })).await;
        let path = format!("/api/v1/statuses/{}", id(&status));
        let response = alice.delete(&path).await;
        let deleted = response.ok();
        assert_eq!(deleted["text"], text);
        assert_eq!(deleted["spoiler_text"], "a <warning>");
        assert!(deleted.get("content").is_none());
        assert_eq!(deleted["mentions"][0]["acct"], "bob");
        alice.get(&path).await.expect(404);
        alice.delete(&path).await.expect(404);
    }

    async fn only_the_author_can_delete_a_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let path = format!("/api/v1/statuses/{}", id(&alice.publish("hello").await));
        bob.delete(&path).await.expect(404);
        app.anonymous().delete(&path).await.expect(401);
        let viewer = app.user_with_scopes(&alice, "read").await;
        viewer.delete(&path).await.expect(403);
        alice.get(&path).await.ok();
    }

    async fn deleting_a_status_deletes_dependent_data(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let first = alice.publish("first").await;
        let status = alice.reply(&first, "hello @bob").await;
        bob.act("favourite", &status).await;
        let reblog = bob.act("reblog", &status).await;
        assert_eq!(reblog["account"]["statuses_count"], 1);
        assert_eq!(alice.get("/api/v1/notifications").await.ids().len(), 2);
        assert_eq!(bob.get("/api/v1/notifications").await.ids().len(), 1);
        alice.delete(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
        bob.get(&format!("/api/v1/statuses/{}", id(&reblog))).await.expect(404);
        assert_eq!(alice.get("/api/v1/notifications").await.ids().len(), 0);
        assert_eq!(bob.get("/api/v1/notifications").await.ids().len(), 0);
        assert_eq!(bob.publish("x").await["account"]["statuses_count"], 1);
        let first = alice.get(&format!("/api/v1/statuses/{}", id(&first))).await.ok();
        assert_eq!(first["replies_count"], 0);
        assert_eq!(first["account"]["statuses_count"], 1);
    }

    async fn replies_survive_the_deletion_of_their_parent(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let first = alice.publish("first").await;
        let reply = bob.reply(&first, "second").await;
        alice.delete(&format!("/api/v1/statuses/{}", id(&first))).await.ok();
        let path = format!("/api/v1/statuses/{}", id(&reply));
        assert_eq!(bob.get(&path).await.ok()["content"], "<p>second</p>");
        let context = bob.get(&format!("{path}/context")).await.ok();
        assert_eq!(context, json!({ "ancestors": [], "descendants": [] }));
    }

    async fn a_reblog_is_deleted_like_a_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello").await;
        let reblog = bob.act("reblog", &status).await;
        let deleted = bob.delete(&format!("/api/v1/statuses/{}", id(&reblog))).await.ok();
        assert_eq!(deleted["id"], reblog["id"]);
        assert_eq!(deleted["reblog"]["id"], status["id"]);
        let status = bob.get(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
        assert_eq!(status["reblogs_count"], 0);
        assert_eq!(status["reblogged"], false);
        assert_eq!(alice.get("/api/v1/notifications").await.ids().len(), 0);
    }
}
