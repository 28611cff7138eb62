//! `POST /oauth/revoke`.

use super::register;
api_tests! {
    // An application can revoke its own tokens only.
    async fn a_client_revokes_only_its_own_tokens(app: &TestApp) {
        let (client, other) = (register(app, "read").await, register(app, "read").await);
        let anonymous = app.anonymous();
        let token = client.own_token(&anonymous, "read").await;
        let works = async || {
            app.with_token(&token).get("/api/v1/apps/verify_credentials").await.status
        };
        let named = [("token", token.as_str())];

        let response = anonymous.form("/oauth/revoke", &client.form(&[])).await;
        assert!(response.expect(403)["error"].is_string());
        assert_eq!(anonymous.post("/oauth/revoke").await.expect(403)["error"], "unauthorized_client");
        assert_eq!(anonymous.form("/oauth/revoke", &other.form(&named)).await.status, 403);
        assert_eq!(anonymous.form("/oauth/revoke", &named).await.status, 403);
        assert_eq!(works().await, 200);

        let unknown = client.form(&[("token", "unknown")]);
        assert_eq!(anonymous.form("/oauth/revoke", &unknown).await.ok(), serde_json::json!({}));
        let right = client.form(&named);
        assert_eq!(anonymous.form("/oauth/revoke", &right).await.ok(), serde_json::json!({}));
        assert_eq!(works().await, 401);
        assert_eq!(anonymous.form("/oauth/revoke", &right).await.status, 200);
    }
}
