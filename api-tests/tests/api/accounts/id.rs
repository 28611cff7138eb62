//! `GET /api/v1/accounts/{id}`.

use serde_json::Value;

const ACCOUNTS: &str = "/api/v1/accounts";

api_tests! {
    async fn an_account_is_readable_without_a_token(app: &TestApp) {
        let alice = app.user("alice").await;
        let path = format!("{ACCOUNTS}/{}", alice.id);
        let shown = app.anonymous().get(&path).await;
        let account = shown.ok();
        assert_eq!(account["url"], format!("{}/@alice", app.base_url()));
        assert_eq!(account["last_status_at"], Value::Null);
        let day = account["created_at"].as_str().unwrap();
        assert!(day.ends_with("T00:00:00.000Z"), "{day}");
        snapshot!("account", shown);
        assert_eq!(app.user("bob").await.get(&path).await.ok(), account);
    }

    async fn a_token_needs_the_scope_of_accounts(app: &TestApp) {
        let alice = app.user("alice").await;
        let path = format!("{ACCOUNTS}/{}", alice.id);
        app.user_with_scopes(&alice, "read:statuses").await.get(&path).await.expect(403);
        app.user_with_scopes(&alice, "read:accounts").await.get(&path).await.ok();
        app.with_token("garbage").get(&path).await.expect(401);
    }

    async fn an_invalid_id_is_answered_like_an_unknown_id(app: &TestApp) {
        let alice = app.user("alice").await;
        let unknown = alice.get(&format!("{ACCOUNTS}/1234567890")).await.expect(404);
        assert_eq!(unknown["error"], "Record not found");
        for id in ["0", "-1", "abc", "9223372036854775807", "9223372036854775808", "1e3", "%00", "01",
            "%201"]
        {
            for client in [&alice.client, &app.anonymous()] {
                for path in ["", "/followers", "/following"] {
                    let response = client.get(&format!("{ACCOUNTS}/{id}{path}")).await.expect(404);
                    assert_eq!(response, unknown, "{id}{path}");
                }
            }
            for action in ["follow", "unfollow"] {
                let response = alice.post(&format!("{ACCOUNTS}/{id}/{action}")).await.expect(404);
                assert_eq!(response, unknown, "{id}/{action}");
            }
        }
    }
    async fn identity_proofs_are_empty(app: &TestApp) {
        let alice = app.user("alice").await;
        let path = |id: &str| format!("{ACCOUNTS}/{id}/identity_proofs");
        let scoped = app.user_with_scopes(&alice, "push").await;
        assert_eq!(scoped.get(&path(&alice.id)).await.ok(), serde_json::json!([]));
        for id in ["1234567890", "abc"] {
            let unknown = alice.get(&path(id)).await.expect(404);
            assert_eq!(unknown["error"], "Record not found");
        }
        app.anonymous().get(&path(&alice.id)).await.expect(401);
    }
}
