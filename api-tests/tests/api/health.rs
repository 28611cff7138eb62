//! `GET /health`.

use reqwest::Method;

api_tests! {
    async fn health_returns_ok_when_the_server_is_ready(app: &TestApp) {
        let anonymous = app.anonymous();
        for accept in [None, Some("*/*"), Some("text/html,*/*;q=0.8"), Some("text/plain")] {
            let request = anonymous.request(Method::GET, "/health");
            let request = match accept {
                Some(accept) => request.header("accept", accept),
                None => request,
            };
            let response = anonymous.send(request).await;
            assert_eq!((response.status, response.text().as_str()), (200, "OK"), "{accept:?}");
            assert_eq!(response.header("content-type"), Some("text/plain; charset=utf-8"));
            assert_eq!(response.header("vary"), Some("Accept"));
        }
    }

    async fn health_checks_have_their_own_budget(app: &TestApp) {
        let response = app.anonymous().get("/health").await;
        assert_eq!(response.header("x-ratelimit-limit"), Some("30000"));
    }

    async fn json_is_returned_to_clients_that_request_it(app: &TestApp) {
        let request = app.anonymous().request(Method::GET, "/health");
        let response = app.anonymous().send(request.header("accept", "application/json")).await;
        snapshot!("health", response);
    }
}
