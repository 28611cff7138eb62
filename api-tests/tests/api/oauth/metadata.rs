//! `GET /.well-known/oauth-authorization-server`.

api_tests! {
    async fn the_metadata_lead_to_every_endpoint(app: &TestApp) {
        let response = app.anonymous().get("/.well-known/oauth-authorization-server").await;
        assert_eq!(response.header("access-control-allow-origin"), Some("*"));
        snapshot!("oauth_metadata", response);
    }
}
