//! Paths that are not served, and paths that were removed.

use reqwest::Method;

use crate::support::Response;

/// All removed operations of the API, and operations that were proposed but never added.
const REMOVED: [(Method, &str); 9] = [
    (Method::POST, "/api/v1/notifications/dismiss"),
    (Method::GET, "/api/v2_alpha/notifications"),
    (Method::GET, "/api/v2_alpha/notifications/ungrouped-1"),
    (Method::POST, "/api/v2_alpha/notifications/ungrouped-1/dismiss"),
    (Method::GET, "/api/v2_alpha/notifications/unread_count"),
    (Method::GET, "/api/proofs"),
    (Method::GET, "/api/v1/search?q=x"),
    (Method::GET, "/api/v1/statuses/{id}/card"),
    (Method::GET, "/api/v1/timelines/direct"),
];

fn assert_nothing_here(response: &Response) {
    assert_eq!(response.status, 404, "{response:?}");
    assert_eq!(response.header("content-type"), Some("application/json"));
    assert_eq!(response.json()["error"], "Record not found");
}

api_tests! {
    async fn unknown_paths_get_a_json_error(app: &TestApp) {
        for path in ["/api/v1/nothing", "/api/v9/instance", "/nothing", "/api/v1/statuses/%00"] {
            assert_nothing_here(&app.anonymous().get(path).await);
        }
        assert_nothing_here(&app.anonymous().post("/api/v1/nothing").await);
    }

    async fn browsers_get_an_error_page_outside_of_the_api(app: &TestApp) {
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        let ask = async |method: Method, path: &str, accept: &str| {
            let anonymous = app.anonymous();
            anonymous.send(anonymous.request(method, path).header("accept", accept)).await
        };
        for path in ["/nothing", "/settings/nothing", "/auth/nothing", "/@alice/1/2/3/4", "/health/x"] {
            for method in [Method::GET, Method::POST] {
                let page = ask(method.clone(), path, browser).await;
                assert_eq!(page.status, 404, "{path}");
                assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
                assert_eq!(page.header("vary"), Some("Accept"), "{path}");
                assert!(page.text().contains("There is nothing here"), "{path}");
                assert_nothing_here(&ask(method.clone(), path, "application/json").await);
                assert_nothing_here(&ask(method, path, "*/*").await);
            }
        }
        for path in ["/api/v1/nothing", "/api", "/.well-known/nothing", "/nodeinfo/9"] {
            assert_nothing_here(&ask(Method::GET, path, browser).await);
        }
    }

    // Removed operations return 404, with and without a token.
    async fn removed_paths_are_not_found_with_and_without_a_token(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = alice.form("/api/v1/statuses", &[("status", "Hello")]).await.ok();
        let id = status["id"].as_str().unwrap();
        for client in [&alice.client, &app.anonymous(), &app.with_token("gone")] {
            for (method, path) in REMOVED {
                let request = client.request(method, &path.replace("{id}", id));
                assert_nothing_here(&client.send(request.query(&[("id", id)])).await);
            }
        }
    }
}
