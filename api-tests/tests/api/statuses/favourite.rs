//! `POST /api/v1/statuses/{id}/favourite` and `unfavourite`.

use serde_json::json;

use crate::support::id;

api_tests! {
    async fn a_favourite_is_counted_notified_and_undone(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello").await;
        let favourited = bob.act("favourite", &status).await;
        assert_eq!((&favourited["favourited"], &favourited["favourites_count"]), (&json!(true), &json!(1)));
        let notifications = alice.get("/api/v1/notifications").await.ok();
        assert_eq!(notifications[0]["type"], "favourite");
        assert_eq!(notifications[0]["account"]["id"], bob.id);
        let undone = bob.act("unfavourite", &status).await;
        assert_eq!((&undone["favourited"], &undone["favourites_count"]), (&json!(false), &json!(0)));
        assert_eq!(alice.get("/api/v1/notifications").await.ids().len(), 0);
    }

    // Concurrent favourites count once and create one notification.
    async fn concurrent_favourites_create_one_favourite(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello").await;
        for (action, count) in [("favourite", 1), ("unfavourite", 0), ("favourite", 1)] {
            let path = format!("/api/v1/statuses/{}/{action}", id(&status));
            let at_once: Vec<_> = (0..10)
                .map(|_| {
                    let (bob, path) = (bob.client.clone(), path.clone());
                    tokio::spawn(async move { bob.post(&path).await.status })
                })
                .collect();
            for response in at_once {
                assert_eq!(response.await.unwrap(), 200);
            }
            let status = bob.get(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
            assert_eq!(status["favourites_count"], count);
            assert_eq!(alice.get("/api/v1/notifications").await.ids().len(), count);
        }
    }

    async fn favouriting_a_reblog_favourites_the_original_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello").await;
        let reblog = bob.act("reblog", &status).await;
        assert_eq!(alice.act("favourite", &reblog).await["id"], status["id"]);
        assert_eq!(alice.act("unfavourite", &reblog).await["favourites_count"], 0);
    }

    async fn hidden_statuses_cannot_be_favourited(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let private = json!({ "status": "secret", "visibility": "private" });
        let path = format!("/api/v1/statuses/{}", id(&alice.publish_as(private).await));
        for action in ["favourite", "unfavourite", "bookmark", "unbookmark", "reblog", "unreblog"] {
            let response = bob.post(&format!("{path}/{action}")).await;
            assert_eq!(response.expect(404), json!({ "error": "Record not found" }), "{action}");
        }
    }

    async fn reactions_to_hidden_statuses_can_be_undone(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello").await;
        for action in ["favourite", "bookmark", "mute", "reblog"] {
            bob.act(action, &status).await;
        }
        alice.act_on("block", &bob).await;
        let path = format!("/api/v1/statuses/{}", id(&status));
        // The response is the same as for an unknown status, so that it reveals nothing.
        for action in ["unfavourite", "unbookmark", "unmute", "unreblog"] {
            for _ in 0..2 {
                let response = bob.post(&format!("{path}/{action}")).await;
                let unknown = bob.post(&format!("/api/v1/statuses/9/{action}")).await;
                assert_eq!((response.status, &response.body), (404, &unknown.body), "{action}");
            }
        }
        let counted = alice.get(&path).await.ok();
        assert_eq!((&counted["favourites_count"], &counted["reblogs_count"]), (&json!(0), &json!(0)));
        alice.act_on("unblock", &bob).await;
        let seen_again = bob.get(&path).await.ok();
        for mark in ["favourited", "bookmarked", "muted", "reblogged"] {
            assert_eq!(seen_again[mark], false, "{mark}");
        }
    }

    async fn a_deleted_status_is_not_found(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello").await;
        bob.act("favourite", &status).await;
        bob.act("bookmark", &status).await;
        let path = format!("/api/v1/statuses/{}", id(&status));
        alice.delete(&path).await.ok();
        for list in ["favourites", "bookmarks"] {
            assert_eq!(bob.get(&format!("/api/v1/{list}")).await.ids(), [""; 0]);
        }
        for action in ["unfavourite", "unbookmark", "unreblog", "favourite", "bookmark", "reblog"] {
            bob.post(&format!("{path}/{action}")).await.expect(404);
        }
    }

    async fn statuses_of_blocked_accounts_cannot_be_favourited(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let path = format!("/api/v1/statuses/{}", id(&alice.publish("hello").await));
        bob.act_on("block", &alice).await;
        for action in ["favourite", "reblog"] {
            let response = bob.post(&format!("{path}/{action}")).await;
            assert_eq!(response.expect(403)["error"], "This action is not allowed");
        }
    }
}
