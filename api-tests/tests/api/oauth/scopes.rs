//! Scopes of tokens, and the operations that they allow.

use reqwest::Method;

use crate::support::Client;

/// Anonymous callers may search, too.
const SEARCH: &str = "/api/v2/search?q=ann";

async fn status(client: &Client, method: Method, path: &str) -> u16 {
    let request = client.request(method, path).form(&[("status", "x"), ("locked", "false")]);
    let response = client.send(request).await;
    if response.status == 403 {
        assert_eq!(response.json()["error"], "This action is outside the authorized scopes");
    }
    response.status
}

api_tests! {
    // A token can call exactly the operations that its scopes cover.
    async fn a_token_gives_access_within_its_scopes(app: &TestApp) {
        let (ann, bob) = (app.user("ann").await, app.user("bob").await);
        let follow = format!("/api/v1/accounts/{}/follow", bob.id);
        let families = [
            (Method::GET, "/api/v1/accounts/verify_credentials", "read:accounts", "read"),
            (Method::GET, "/api/v1/timelines/home", "read:statuses", "read"),
            (Method::GET, "/api/v1/notifications", "read:notifications", "read"),
            (Method::POST, "/api/v1/statuses", "write:statuses", "write"),
            (Method::PATCH, "/api/v1/accounts/update_credentials", "write:accounts", "write"),
            (Method::POST, &follow, "write:follows", "write"),
            (Method::GET, SEARCH, "read:search", "read"),
            (Method::DELETE, "/api/v1/push/subscription", "push", "push"),
        ];
        for scope in [
            "read", "write", "read:accounts", "write:statuses", "follow", "push", "read:search",
        ] {
            let client = app.user_with_scopes(&ann, scope).await;
            for (method, path, child, parent) in &families {
                let covered = scope == *child
                    || scope == *parent
                    || (scope == "follow" && *child == "write:follows");
                let expected = if covered { 200 } else { 403 };
                assert_eq!(status(&client, method.clone(), path).await, expected, "{scope}: {path}");
            }
        }
        for (method, path, ..) in &families {
            let expected = if *path == SEARCH { 200 } else { 401 };
            assert_eq!(status(&app.anonymous(), method.clone(), path).await, expected, "{path}");
        }
    }
}
