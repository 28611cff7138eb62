//! `GET /health`.

api_tests! {
    async fn a_server_that_is_ready_says_so(app: &TestApp) {
        let answer = app.anonymous().get("/health").await;
        snapshot!("health", answer);
    }
}
