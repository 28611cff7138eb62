//! `GET /api/v1/preferences`.

api_tests! {
    async fn a_new_person_has_the_defaults(app: &TestApp) {
        let alice = app.user("alice").await;
        snapshot!("preferences", alice.get("/api/v1/preferences").await);
    }

    async fn preferences_need_the_token_of_their_owner(app: &TestApp) {
        let alice = app.user("alice").await;
        app.anonymous().get("/api/v1/preferences").await.expect(401);
        app.application("read").await.get("/api/v1/preferences").await.expect(422);
        let other = app.user_with_scopes(&alice, "read:statuses").await;
        other.get("/api/v1/preferences").await.expect(403);
    }
}
