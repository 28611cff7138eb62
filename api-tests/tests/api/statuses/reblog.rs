//! `POST /api/v1/statuses/{id}/reblog` and `unreblog`.

use serde_json::json;

use crate::support::id;

api_tests! {
    async fn a_reblog_contains_the_original_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello").await;
        let response = bob.post(&format!("/api/v1/statuses/{}/reblog", id(&status))).await;
        let reblog = response.ok();
        snapshot!("status_reblogged", response);
        assert_ne!(reblog["id"], status["id"]);
        assert_eq!(reblog["reblog"]["id"], status["id"]);
        assert_eq!(reblog["reblog"]["reblogs_count"], 1);
        assert_eq!((&reblog["reblogged"], &reblog["reblog"]["reblogged"]), (&json!(true), &json!(true)));
        let notifications = alice.get("/api/v1/notifications").await.ok();
        assert_eq!((&notifications[0]["type"], &notifications[0]["status"]["id"]), (&json!("reblog"), &status["id"]));
    }

    async fn a_repeated_reblog_is_the_first_one(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello").await;
        let path = format!("/api/v1/statuses/{}/reblog", id(&status));
        let at_once: Vec<_> = (0..10)
            .map(|_| {
                let (bob, path) = (bob.client.clone(), path.clone());
                tokio::spawn(async move { id(&bob.post(&path).await.ok()) })
            })
            .collect();
        let mut created = std::collections::BTreeSet::new();
        for response in at_once {
            created.insert(response.await.unwrap());
        }
        assert_eq!(created.len(), 1);
        let status = bob.get(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
        assert_eq!(status["reblogs_count"], 1);
        assert_eq!(bob.publish("x").await["account"]["statuses_count"], 2);
    }

    async fn reblogging_a_reblog_reblogs_the_original_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello").await;
        let reblog = bob.act("reblog", &status).await;
        assert_eq!(alice.act("reblog", &reblog).await["reblog"]["id"], status["id"]);
    }

    async fn unreblog_returns_the_original_status(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello").await;
        let reblog = bob.act("reblog", &status).await;
        for _ in 0..2 {
            let undone = bob.act("unreblog", &status).await;
            assert_eq!(undone["id"], status["id"]);
            assert_eq!((&undone["reblogs_count"], &undone["reblogged"]), (&json!(0), &json!(false)));
        }
        bob.get(&format!("/api/v1/statuses/{}", id(&reblog))).await.expect(404);
        assert_eq!(alice.get("/api/v1/notifications").await.ids().len(), 0);
    }

    async fn concurrent_unreblogs_count_once(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello").await;
        bob.act("reblog", &status).await;
        let path = format!("/api/v1/statuses/{}/unreblog", id(&status));
        let at_once: Vec<_> = (0..10)
            .map(|_| {
                let (bob, path) = (bob.client.clone(), path.clone());
                tokio::spawn(async move { bob.post(&path).await.status })
            })
            .collect();
        for response in at_once {
            assert_eq!(response.await.unwrap(), 200);
        }
        assert_eq!(bob.publish("x").await["account"]["statuses_count"], 1);
        let status = bob.get(&format!("/api/v1/statuses/{}", id(&status))).await.ok();
        assert_eq!(status["reblogs_count"], 0);
    }

    async fn a_reblog_does_not_widen_the_visibility(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        app.follow(&bob, &alice).await;
        for (visibility, own, others) in
            [("unlisted", 200, 200), ("private", 200, 403), ("direct", 403, 403)]
        {
            let status = json!({ "status": "hi @bob", "visibility": visibility });
            let path = format!("/api/v1/statuses/{}/reblog", id(&alice.publish_as(status).await));
            assert_eq!(bob.post(&path).await.status, others, "{visibility}");
            let mine = alice.form(&path, &[("visibility", "public")]).await;
            assert_eq!(mine.status, own, "{visibility}");
            if visibility == "private" {
                assert_eq!(mine.json()["visibility"], "private");
            }
        }
    }

    async fn a_reblog_has_the_requested_visibility(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello").await;
        let path = format!("/api/v1/statuses/{}/reblog", id(&status));
        for visibility in ["direct", "everyone"] {
            bob.form(&path, &[("visibility", visibility)]).await.expect(422);
        }
        let reblog = bob.form(&path, &[("visibility", "private")]).await.ok();
        assert_eq!(reblog["visibility"], "private");
        let seen = alice.get(&format!("/api/v1/statuses/{}", id(&reblog))).await;
        assert_eq!(seen.status, 404);
        assert_eq!(alice.act("reblog", &status).await["visibility"], "public");
    }
}
