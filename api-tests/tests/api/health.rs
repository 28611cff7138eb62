//! `GET /health`.

use reqwest::Method;

api_tests! {
    async fn a_server_that_is_ready_says_ok(app: &TestApp) {
        let anonymous = app.anonymous();
        for accept in [None, Some("*/*"), Some("text/html,*/*;q=0.8"), Some("text/plain")] {
            let request = anonymous.request(Method::GET, "/health");
            let request = match accept {
                Some(accept) => request.header("accept", accept),
                None => request,
            };
            let answer = anonymous.send(request).await;
            assert_eq!((answer.status, answer.text().as_str()), (200, "OK"), "{accept:?}");
            assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"));
            assert_eq!(answer.header("vary"), Some("Accept"));
        }
    }

    async fn checks_have_a_budget_of_their_own(app: &TestApp) {
        let answer = app.anonymous().get("/health").await;
        assert_eq!(answer.header("x-ratelimit-limit"), Some("30000"));
    }

    async fn whoever_asks_for_json_is_answered_in_json(app: &TestApp) {
        let request = app.anonymous().request(Method::GET, "/health");
        let answer = app.anonymous().send(request.header("accept", "application/json")).await;
        snapshot!("health", answer);
    }
}
