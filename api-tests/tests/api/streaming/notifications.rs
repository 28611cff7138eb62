//! Notifications on the streams `user` and `user:notification`.

use serde_json::json;

use crate::support::id;

stream_tests! {
    async fn a_streamed_notification_equals_the_one_in_the_list(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let mut user = app.listen(&alice, "stream=user").await;
        let mut alone = app.listen(&alice, "stream=user:notification").await;
        let mut of_bob = app.listen(&bob, "stream=user:notification").await;
        bob.act_on("follow", &alice).await;
        bob.publish("Hello @alice").await;
        let status = alice.publish("Like me").await;
        bob.act("favourite", &status).await;
        alice.act("favourite", &bob.publish("And me").await).await;
        let list = alice.get("/api/v1/notifications").await.ok();
        for shown in list.as_array().unwrap().iter().rev() {
            let event = alone.event().await;
            assert_eq!(event.0, "notification");
            assert_eq!((&event.1["id"], &event.1["type"]), (&shown["id"], &shown["type"]));
            assert_eq!(event.1["status"]["id"], shown["status"]["id"]);
            assert_eq!(event.1["status"].get("pinned"), shown["status"].get("pinned"));
            assert_eq!(user.until("notification").await["id"], shown["id"]);
        }
        assert_eq!(of_bob.event().await.1["type"], "favourite");
    }

    // A mute that hides notifications also hides them in streams.
    async fn muted_notifications_are_not_streamed(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        let mut socket = app.listen(&alice, "stream=user:notification").await;
        alice.act_on_with("mute", &bob, json!({ "notifications": false })).await;
        bob.publish("@alice one").await;
        assert_eq!(socket.event().await.1["account"]["id"], bob.id.as_str());
        alice.act_on_with("mute", &bob, json!({ "notifications": true })).await;
        bob.publish("@alice two").await;
        carol.publish("@alice three").await;
        assert_eq!(socket.event().await.1["account"]["id"], carol.id.as_str());
    }

    async fn one_event_reaches_many_recipients(app: &TestApp) {
        let writer = app.user("writer").await;
        let (mut names, mut sockets) = (String::new(), Vec::new());
        for number in 0..5 {
            let fan = app.user(&format!("fan{number}")).await;
            sockets.push(app.listen(&fan, "stream=user:notification").await);
            names += &format!("@fan{number} ");
        }
        let status = writer.publish(&names).await;
        for socket in &mut sockets {
            let (_, payload) = socket.event().await;
            assert_eq!(payload["status"]["id"].as_str(), Some(id(&status).as_str()));
        }
    }

    // What the policy filters is not streamed. An acceptance tells clients to load again.
    async fn accepted_notifications_are_announced(app: &TestApp) {
        let (alice, bob, carol) =
            (app.user("alice").await, app.user("bob").await, app.user("carol").await);
        app.follow(&alice, &carol).await;
        let policy = "/api/v2/notifications/policy";
        alice.patch(policy, &[("for_not_following", "filter")]).await.ok();
        let mut home = app.listen(&alice, "stream=user").await;
        let mut alone = app.listen(&alice, "stream=user:notification").await;
        bob.publish("@alice one").await;
        carol.publish("@alice two").await;
        assert_eq!(alone.event().await.1["account"]["id"], carol.id.as_str());
        assert_eq!(home.until("notification").await["account"]["id"], carol.id.as_str());
        let requests = "/api/v1/notifications/requests";
        let request = alice.get(requests).await.ids().remove(0);
        alice.post(&format!("{requests}/{request}/accept")).await.ok();
        assert_eq!(alone.event().await.0, "notifications_merged");
        assert_eq!(home.until("notifications_merged").await, json!(1));
    }
}
