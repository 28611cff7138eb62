//! `GET /api/v1/accounts/{id}`.

use serde_json::Value;

const ACCOUNTS: &str = "/api/v1/accounts";

api_tests! {
    async fn anyone_reads_an_account(app: &TestApp) {
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

    async fn a_token_that_is_sent_must_cover_accounts(app: &TestApp) {
        let alice = app.user("alice").await;
        let path = format!("{ACCOUNTS}/{}", alice.id);
        app.user_with_scopes(&alice, "read:statuses").await.get(&path).await.expect(403);
        app.user_with_scopes(&alice, "read:accounts").await.get(&path).await.ok();
        app.with_token("garbage").get(&path).await.expect(401);
    }

    async fn what_is_no_id_is_answered_like_an_id_of_nobody(app: &TestApp) {
        let alice = app.user("alice").await;
        let unknown = alice.get(&format!("{ACCOUNTS}/1234567890")).await.expect(404);
        assert_eq!(unknown["error"], "Record not found");
        for id in ["0", "-1", "abc", "9223372036854775807", "9223372036854775808", "1e3", "%00", "01",
            "%201"]
        {
            for client in [&alice.client, &app.anonymous()] {
                for path in ["", "/followers", "/following"] {
                    let answer = client.get(&format!("{ACCOUNTS}/{id}{path}")).await.expect(404);
                    assert_eq!(answer, unknown, "{id}{path}");
                }
            }
            for action in ["follow", "unfollow"] {
                let answer = alice.post(&format!("{ACCOUNTS}/{id}/{action}")).await.expect(404);
                assert_eq!(answer, unknown, "{id}/{action}");
            }
        }
    }
    async fn nobody_is_asked_for_proofs_of_identity_any_more(app: &TestApp) {
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
