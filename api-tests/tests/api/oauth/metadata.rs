//! `GET /.well-known/oauth-authorization-server`.

api_tests! {
    async fn the_metadata_lead_to_every_endpoint(app: &TestApp) {
        let answer = app.anonymous().get("/.well-known/oauth-authorization-server").await;
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        snapshot!("oauth_metadata", answer);
    }
}
