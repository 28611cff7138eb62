//! The stream `direct`: conversations.

use serde_json::json;

use crate::support::id;

stream_tests! {
    async fn conversation_events_reach_the_participants(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let mut of_alice = app.listen(&alice, "stream=direct").await;
        let mut of_bob = app.listen(&bob, "stream=direct").await;
        let mut of_carol = app.listen(&carol, "stream=direct").await;
        let mut events = bob.events("direct").await;
        alice.publish("Not a conversation").await;
        let published = alice.publish_as(json!({ "status": "@bob hello", "visibility": "direct" })).await;
        let (name, event) = of_bob.event().await;
        assert_eq!((name.as_str(), &event["last_status"]["id"]), ("conversation", &published["id"]));
        assert_eq!((&event["unread"], &event["accounts"][0]["id"]), (&true.into(), &alice.id.clone().into()));
        let shown = bob.get("/api/v1/conversations").await.ok()[0].take();
        assert_eq!((&event["id"], &event["last_status"]["id"]), (&shown["id"], &shown["last_status"]["id"]));
        let event = events.next().await;
        assert_eq!((event.name.as_str(), event.entity()), ("conversation", id(&shown)));
        assert_eq!(of_alice.event().await.1["last_status"]["id"], published["id"]);
        let own = carol.publish_as(json!({ "status": "To myself", "visibility": "direct" })).await;
        assert_eq!(of_carol.event().await.1["last_status"]["id"], own["id"]);
    }

    async fn blocked_accounts_cause_no_conversation_events(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let mut of_alice = app.listen(&alice, "stream=direct").await;
        alice.act_on("block", &bob).await;
        bob.publish_as(json!({ "status": "@alice hello", "visibility": "direct" })).await;
        let published = carol.publish_as(json!({ "status": "@alice hello", "visibility": "direct" })).await;
        assert_eq!(of_alice.event().await.1["last_status"]["id"], published["id"]);
    }
}
