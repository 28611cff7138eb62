//! The language of error messages.

use reqwest::Method;
use serde_json::{Value, json};
use siskin_test_support::both_engines;

use crate::support::{Client, Response, TestApp, run};

async fn get(viewer: &Client, path: &str, accepted: &str) -> Response {
    viewer.send(viewer.request(Method::GET, path).header("accept-language", accepted)).await
}

fn error_of(response: &Response, status: u16) -> Value {
    response.expect(status)["error"].clone()
}

api_tests! {
    async fn errors_are_in_the_preferred_language(app: &TestApp) {
        let alice = app.user("alice").await;
        let (english, german) = ("Record not found", "Datensatz nicht gefunden");
        for (accepted, text) in [
            ("de", german), ("de-AT, en;q=0.5", german), ("xx, de;q=0.1", german),
            ("en, de;q=0.9", english), ("fr", english), ("de;q=0", english), ("*", english),
        ] {
            let response = get(&alice, "/api/v1/statuses/1", accepted).await;
            assert_eq!(error_of(&response, 404), text, "{accepted}");
        }
        assert_eq!(error_of(&alice.get("/api/v1/statuses/1").await, 404), english);
        let response = get(&app.anonymous(), "/api/v1/timelines/home", "de").await;
        assert_eq!(error_of(&response, 401), "Das Zugriffstoken ist ungültig");
    }

    async fn the_lang_parameter_selects_the_language(app: &TestApp) {
        let alice = app.user("alice").await;
        let long = "x".repeat(501);
        let german =
            "Gültigkeitsprüfung fehlgeschlagen: Text ist länger als 500 Zeichen";
        let english = "Validation failed: Text character limit of 500 exceeded";
        let path = "/api/v1/statuses";
        let form = alice.form(path, &[("status", long.as_str()), ("lang", "de")]).await;
        assert_eq!(error_of(&form, 422), german);
        let json = alice.json(path, json!({ "status": long, "lang": "de" })).await;
        assert_eq!(error_of(&json, 422), german);
        let query = alice.json(&format!("{path}?lang=de"), json!({ "status": long })).await;
        assert_eq!(error_of(&query, 422), german);
        for lang in ["en", "xx", ""] {
            let response = alice.json(path, json!({ "status": long, "lang": lang })).await;
            assert_eq!(error_of(&response, 422), english, "{lang}");
        }
        assert_eq!(error_of(&alice.json(path, json!({ "status": long })).await, 422), english);
    }

    async fn decoding_errors_are_in_the_selected_language(app: &TestApp) {
        let alice = app.user("alice").await;
        let request = alice.request(Method::POST, "/api/v1/statuses");
        let request = request.header("accept-language", "de");
        let request = request.header("content-type", "application/json").body("{");
        let text = error_of(&alice.send(request).await, 400);
        assert!(text.as_str().unwrap().starts_with("Fehlerhafte Anfrage: "), "{text}");
    }
}

both_engines! {
    fn rate_limit_errors_are_in_the_preferred_language(database: &TestDatabase) {
        let limited = |config: &mut siskin_server::Config| {
            config.fixed_settings.clear();
            config.fixed_settings.push(("rate_limits.requests".to_owned(), "1".to_owned()));
        };
        run(database, limited, async |app: &TestApp| {
            let viewer = app.anonymous();
            get(&viewer, "/api/v1/instance", "de").await.ok();
            let refused = get(&viewer, "/api/v1/instance", "de").await;
            assert_eq!(error_of(&refused, 429), "Zu viele Anfragen");
            let refused = get(&viewer, "/api/v1/instance", "en").await;
            assert_eq!(error_of(&refused, 429), "Too many requests");
        });
    }
}
