//! `POST /api/v1/statuses/{id}/bookmark` and `unbookmark`.

api_tests! {
    async fn a_bookmark_is_visible_to_its_owner_only(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let status = alice.publish("hello").await;
        for _ in 0..2 {
            assert_eq!(bob.act("bookmark", &status).await["bookmarked"], true);
        }
        let path = format!("/api/v1/statuses/{}", crate::support::id(&status));
        assert_eq!(bob.get(&path).await.ok()["bookmarked"], true);
        assert_eq!(alice.get(&path).await.ok()["bookmarked"], false);
        assert!(app.anonymous().get(&path).await.ok().get("bookmarked").is_none());
        assert_eq!(alice.get("/api/v1/notifications").await.ids().len(), 0);
        for _ in 0..2 {
            assert_eq!(bob.act("unbookmark", &status).await["bookmarked"], false);
        }
    }

    async fn bookmarks_need_their_scope(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.publish("hello").await;
        let path = format!("/api/v1/statuses/{}/bookmark", crate::support::id(&status));
        app.user_with_scopes(&alice, "write:statuses").await.post(&path).await.expect(403);
        app.user_with_scopes(&alice, "write:bookmarks").await.post(&path).await.ok();
    }
}
