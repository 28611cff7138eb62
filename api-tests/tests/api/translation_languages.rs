//! `GET /api/v1/instance/translation_languages`, and the announcement of translations by the
//! instance.

use std::time::Duration;

use serde_json::{Value, json};
use siskin_test_support::{both_engines, site::response};

use crate::support::{
    TestApp,
    translators::{with_deepl, with_translator},
};

const PATH: &str = "/api/v1/instance/translation_languages";

async fn says_it_translates(app: &TestApp) -> Value {
    let instance = app.anonymous().get("/api/v2/instance").await.ok();
    instance["configuration"]["translation"].clone()
}

both_engines! {
    fn each_language_lists_its_target_languages(database: &TestDatabase) {
        with_translator(database, async |app, service| {
            for _ in 0..2 {
                assert_eq!(app.anonymous().get(PATH).await.ok(), json!({
                    "de": ["en", "fr"], "en": ["de", "fr"], "und": ["de", "en", "fr"],
                }));
            }
            assert_eq!(service.language_requests(), 1);
            assert_eq!(says_it_translates(app).await, json!({ "enabled": true }));
        });
    }

    fn deepl_supports_regional_languages(database: &TestDatabase) {
        with_deepl(database, async |app, _| {
            assert_eq!(app.anonymous().get(PATH).await.ok(), json!({
                "de": ["en", "en-GB"], "en": ["de"], "und": ["de", "en", "en-GB"],
            }));
        });
    }

    fn languages_are_refreshed_after_hours_and_cached_on_failure(database: &TestDatabase) {
        with_translator(database, async |app, service| {
            let known = app.anonymous().get(PATH).await.ok();
            service.response(|_| response("500 Oops", &[], b""));
            app.advance(Duration::from_secs(6 * 3600));
            for _ in 0..2 {
                assert_eq!(app.anonymous().get(PATH).await.ok(), known);
            }
            assert_eq!(service.language_requests(), 2);
        });
    }

    fn an_unavailable_backend_is_reported_and_not_retried_for_a_while(database: &TestDatabase) {
        with_translator(database, async |app, service| {
            service.response(|_| response("500 Oops", &[], b""));
            for _ in 0..3 {
                let refused = app.anonymous().get(PATH).await.expect(503);
                let message = "The translation service does not answer properly, try again later";
                assert_eq!(refused, json!({ "error": message }));
            }
            assert_eq!(service.language_requests(), 1);
            service.recover();
            app.advance(Duration::from_secs(30));
            assert_eq!(app.anonymous().get(PATH).await.ok()["de"], json!(["en", "fr"]));
        });
    }
}

api_tests! {
    async fn without_a_backend_there_are_no_languages(app: &TestApp) {
        assert_eq!(app.anonymous().get(PATH).await.ok(), json!({}));
        assert_eq!(says_it_translates(app).await, json!({ "enabled": false }));
    }
}
