//! What is not served, and what was removed for good.

use crate::support::{Client, Response, TestApp, User};

/// Of the contract's `x-removed`.
const REMOVED: [&str; 3] =
    ["/api/v1/search?q=x", "/api/v1/statuses/1/card", "/api/v1/timelines/direct"];

fn assert_nothing_here(answer: &Response) {
    assert_eq!(answer.status, 404, "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.json()["error"], "Record not found");
}

async fn with_and_without_token(app: &TestApp) -> [Client; 2] {
    let alice: User = app.user("alice").await;
    [app.anonymous(), alice.client]
}

api_tests! {
    async fn an_unknown_path_is_not_found_in_json(app: &TestApp) {
        for path in ["/api/v1/nothing", "/api/v9/instance", "/nothing", "/api/v1/statuses/%00"] {
            assert_nothing_here(&app.anonymous().get(path).await);
        }
        assert_nothing_here(&app.anonymous().post("/api/v1/nothing").await);
    }

    // Case 089.
    async fn removed_paths_are_not_found_with_and_without_a_token(app: &TestApp) {
        for client in with_and_without_token(app).await {
            for path in REMOVED {
                assert_nothing_here(&client.get(path).await);
            }
        }
    }
}
