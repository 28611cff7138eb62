//! `POST /api/v1/statuses/{id}/mute` and `unmute`.

use serde_json::json;

use crate::support::id;

api_tests! {
    async fn muted_conversations_create_no_notifications(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let root = alice.publish("hello").await;
        let reply = bob.reply(&root, "@alice hi").await;
        assert_eq!(alice.notification_types().await.len(), 1);
        // Every status of a conversation identifies it.
        assert_eq!(alice.act("mute", &reply).await["muted"], true);
        bob.reply(&reply, "@alice and again").await;
        bob.act("favourite", &root).await;
        bob.act("reblog", &root).await;
        assert_eq!(alice.notification_types().await.len(), 1);
        bob.reply(&alice.publish("another").await, "@alice hi").await;
        assert_eq!(alice.notification_types().await.len(), 2);
        assert_eq!(alice.act("unmute", &root).await["muted"], false);
        bob.reply(&root, "@alice once more").await;
        assert_eq!(alice.notification_types().await.len(), 3);
    }

    async fn every_status_of_a_muted_conversation_is_marked_as_muted(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let root = alice.publish("hello").await;
        let reply = bob.reply(&root, "@alice hi").await;
        for _ in 0..2 {
            bob.act("mute", &root).await;
        }
        let path = format!("/api/v1/statuses/{}", id(&reply));
        assert_eq!(bob.get(&path).await.ok()["muted"], true);
        assert_eq!(alice.get(&path).await.ok()["muted"], false);
        assert!(app.anonymous().get(&path).await.ok().get("muted").is_none());
        assert_eq!(bob.reply(&reply, "more").await["muted"], true);
    }

    async fn muting_needs_a_scope_and_a_visible_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let private = alice.publish_as(json!({ "status": "x", "visibility": "private" })).await;
        let path = format!("/api/v1/statuses/{}/mute", id(&private));
        assert_eq!(
            bob.post(&path).await.expect(404),
            bob.post("/api/v1/statuses/9/mute").await.expect(404)
        );
        app.user_with_scopes(&alice, "write:statuses").await.post(&path).await.expect(403);
        app.user_with_scopes(&alice, "write:mutes").await.post(&path).await.ok();
        app.anonymous().post(&path).await.expect(401);
    }
}
