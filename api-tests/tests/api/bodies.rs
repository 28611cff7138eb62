//! Incomplete request bodies, and bodies that are refused before they are complete.

use reqwest::multipart::{Form, Part};

use crate::support::TestApp;

/// Returns the head of a multipart request, and its body up to the content of the first part.
fn begun(path: &str, method: &str, token: Option<&str>, part: &str) -> String {
    let bearer = token.map(|token| format!("Authorization: Bearer {token}\n")).unwrap_or_default();
    format!(
        "{method} {path} HTTP/1.1\nHost: a\n{bearer}Content-Length: 1900000\n\
         Content-Type: multipart/form-data; boundary=XX\n\n\
         --XX\nContent-Disposition: form-data; {part}\n\n"
    )
}

async fn response(app: &TestApp, request: &str) -> u16 {
    let mut line = app.line().await;
    line.send(request).await;
    line.head().await.0
}

api_tests! {
    async fn unauthorized_requests_are_refused_before_their_body_is_read(app: &TestApp) {
        for (method, path) in [
            ("POST", "/api/v1/statuses"),
            ("POST", "/api/v2/media"),
            ("POST", "/api/v1/media"),
            ("PATCH", "/api/v1/accounts/update_credentials"),
            ("POST", "/api/v2/filters"),
        ] {
            for token in [None, Some("garbage")] {
                let part = "name=\"file\"; filename=\"a.png\"";
                let status = response(app, &begun(path, method, token, part)).await;
                assert_eq!(status, 401, "{method} {path}");
            }
        }
    }

    async fn files_are_refused_before_their_content_on_other_routes(app: &TestApp) {
        let alice = app.user("alice").await;
        let part = "name=\"status\"; filename=\"a.png\"";
        for (method, path) in [
            ("POST", "/api/v1/statuses"),
            ("POST", "/api/v1/lists"),
            ("POST", "/api/v1/apps"),
            ("POST", "/oauth/token"),
            ("GET", "/api/v1/timelines/home"),
        ] {
            let status = response(app, &begun(path, method, alice.token(), part)).await;
            let refused = if path == "/oauth/token" { [400, 422] } else { [422, 413] };
            assert!(refused.contains(&status), "{method} {path}: {status}");
        }
        let form = Form::new().part("status", Part::bytes(b"x".to_vec()).file_name("a.txt"));
        let refused = alice.multipart("/api/v1/statuses", form).await;
        assert_eq!(refused.expect(422)["error"], "Invalid parameter: status must not be a file");
        // An unused file input is not a file.
        let form = Form::new()
            .text("status", "Hello")
            .part("file", Part::bytes(Vec::new()).file_name(""));
        alice.multipart("/api/v1/statuses", form).await.ok();
    }

    async fn anonymous_bodies_have_a_small_limit(app: &TestApp) {
        let alice = app.user("alice").await;
        for length in [60_000, 70_000] {
            let form = [("client_name", "x".to_owned()), ("padding", "x".repeat(length))];
            let expected = if length < 65_536 { 422 } else { 413 };
            app.anonymous().form("/api/v1/apps", &form).await.expect(expected);
            let page = app.browser().form("/auth/sign_in", &form).await;
            assert_eq!(page.status, if length < 65_536 { 403 } else { 413 });
            let found = alice.form("/api/v1/lists", &form).await;
            assert_eq!(found.status, 422, "{found:?}");
        }
        // The declared length is enough to refuse the body.
        let head = "POST /api/v1/apps HTTP/1.1\nHost: a\nContent-Length: 70000\n\n";
        assert_eq!(response(app, head).await, 413);
    }

    async fn an_invalid_chunk_size_is_malformed(app: &TestApp) {
        let alice = app.user("alice").await;
        let token = alice.token().unwrap();
        for chunks in ["xyz\nstatus=Hello\n0\n\n", "5\nstatu\n-1\ns\n0\n\n", "fffffffffffffffff\n"] {
            let head = format!(
                "POST /api/v1/statuses HTTP/1.1\nHost: a\nAuthorization: Bearer {token}\n\
                 Transfer-Encoding: chunked\n\n{chunks}"
            );
            assert_eq!(response(app, &head).await, 400, "{chunks}");
        }
        let statuses = format!("/api/v1/accounts/{}/statuses", alice.id);
        assert_eq!(alice.get(&statuses).await.ids().len(), 0);
    }

    async fn concurrent_uploads_of_one_account_are_limited(app: &TestApp) {
        let (alice, bob) = (app.user("alice").await, app.user("bob").await);
        let part = "name=\"file\"; filename=\"a.png\"";
        let mut lines = Vec::new();
        for _ in 0..8 {
            let mut line = app.line().await;
            line.send(&begun("/api/v2/media", "POST", alice.token(), part)).await;
            assert!(!line.is_closed().await);
            lines.push(line);
        }
        assert_eq!(response(app, &begun("/api/v2/media", "POST", alice.token(), part)).await, 503);
        let mut other = app.line().await;
        other.send(&begun("/api/v2/media", "POST", bob.token(), part)).await;
        assert!(!other.is_closed().await);
    }
}
