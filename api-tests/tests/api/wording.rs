//! The language of error messages.

use reqwest::Method;
use serde_json::{Value, json};
use siskin_test_support::both_engines;

use crate::support::{Client, Response, TestApp, run};

async fn get(reader: &Client, path: &str, accepted: &str) -> Response {
    reader.send(reader.request(Method::GET, path).header("accept-language", accepted)).await
}

fn told(answer: &Response, status: u16) -> Value {
    answer.expect(status)["error"].clone()
}

api_tests! {
    async fn errors_are_told_in_the_language_that_is_wanted_most(app: &TestApp) {
        let alice = app.user("alice").await;
        let (english, german) = ("Record not found", "Datensatz nicht gefunden");
        for (accepted, words) in [
            ("de", german), ("de-AT, en;q=0.5", german), ("xx, de;q=0.1", german),
            ("en, de;q=0.9", english), ("fr", english), ("de;q=0", english), ("*", english),
        ] {
            let answer = get(&alice, "/api/v1/statuses/1", accepted).await;
            assert_eq!(told(&answer, 404), words, "{accepted}");
        }
        assert_eq!(told(&alice.get("/api/v1/statuses/1").await, 404), english);
        let answer = get(&app.anonymous(), "/api/v1/timelines/home", "de").await;
        assert_eq!(told(&answer, 401), "Das Zugriffstoken ist ungültig");
    }

    async fn a_client_can_ask_for_a_language_by_a_parameter(app: &TestApp) {
        let alice = app.user("alice").await;
        let long = "x".repeat(501);
        let german =
            "Gültigkeitsprüfung fehlgeschlagen: Text ist länger als 500 Zeichen";
        let english = "Validation failed: Text character limit of 500 exceeded";
        let path = "/api/v1/statuses";
        let form = alice.form(path, &[("status", long.as_str()), ("lang", "de")]).await;
        assert_eq!(told(&form, 422), german);
        let json = alice.json(path, json!({ "status": long, "lang": "de" })).await;
        assert_eq!(told(&json, 422), german);
        let query = alice.json(&format!("{path}?lang=de"), json!({ "status": long })).await;
        assert_eq!(told(&query, 422), german);
        for lang in ["en", "xx", ""] {
            let answer = alice.json(path, json!({ "status": long, "lang": lang })).await;
            assert_eq!(told(&answer, 422), english, "{lang}");
        }
        assert_eq!(told(&alice.json(path, json!({ "status": long })).await, 422), english);
    }

    async fn parameters_that_cannot_be_read_are_told_of_in_the_same_language(app: &TestApp) {
        let alice = app.user("alice").await;
        let request = alice.request(Method::POST, "/api/v1/statuses");
        let request = request.header("accept-language", "de");
        let request = request.header("content-type", "application/json").body("{");
        let words = told(&alice.send(request).await, 400);
        assert!(words.as_str().unwrap().starts_with("Fehlerhafte Anfrage: "), "{words}");
    }
}

both_engines! {
    fn who_asks_too_often_is_told_so_in_their_language(database: &TestDatabase) {
        let limited = |config: &mut siskin_server::Config| {
            config.fixed_settings.clear();
            config.fixed_settings.push(("rate_limits.requests".to_owned(), "1".to_owned()));
        };
        run(database, limited, async |app: &TestApp| {
            let reader = app.anonymous();
            get(&reader, "/api/v1/instance", "de").await.ok();
            let refused = get(&reader, "/api/v1/instance", "de").await;
            assert_eq!(told(&refused, 429), "Zu viele Anfragen");
            let refused = get(&reader, "/api/v1/instance", "en").await;
            assert_eq!(told(&refused, 429), "Too many requests");
        });
    }
}
