//! `/oauth/userinfo`.

api_tests! {
    async fn userinfo_returns_the_account_of_the_token(app: &TestApp) {
        let ann = app.user("ann").await;
        let profile = app.user_with_scopes(&ann, "profile").await;
        let shown = profile.get("/oauth/userinfo").await;
        snapshot!("oauth_userinfo", shown);
        assert_eq!(profile.post("/oauth/userinfo").await.ok(), shown.json());
        assert_eq!(ann.get("/oauth/userinfo").await.status, 403);
        assert_eq!(app.anonymous().get("/oauth/userinfo").await.status, 401);
        assert_eq!(app.application("profile").await.get("/oauth/userinfo").await.status, 422);
    }
}
