//! `POST /api/v1/statuses/{id}/translate`.

use std::time::Duration;

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use siskin_persistence::{
    Tx,
    stale::{self, Stale},
};
use siskin_test_support::{both_engines, site::response};

use crate::{
    polls::ask_as,
    support::{
        Client, Response, User, id,
        pictures::png,
        translators::{json_answer, translated, with_deepl, with_translator, with_translator_and},
    },
};

const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);

/// Deletes expired translations.
fn expired(tx: &mut Tx<'_>) -> siskin_services::Result<usize> {
    let translations = Stale::all().find(|stale| stale.table() == "translations").unwrap();
    Ok(stale::remove(tx, translations, tx.now(), 9)?)
}

/// Requests a translation into this language. Error messages are translated into it too, if known.
async fn translate(viewer: &Client, status: &Value, lang: &str) -> Response {
    let path = format!("/api/v1/statuses/{}/translate", id(status));
    viewer.json(&path, json!({ "lang": lang })).await
}

async fn english(author: &User, text: &str) -> Value {
    author.publish_as(json!({ "status": text, "language": "en" })).await
}

fn refusal(response: &Response, status: u16) -> String {
    response.expect(status)["error"].as_str().unwrap().to_owned()
}

both_engines! {
    // A translation includes the content warning and the descriptions of attachments.
    fn a_status_is_translated_with_its_warning_and_descriptions(database: &TestDatabase) {
        with_translator(database, async |app, service| {
            let alice = app.user("alice").await;
            let (seen, plain) = (
                alice.upload_media(png(8, 8), "A cat\n& a <dog>").await,
                alice.upload_media(png(8, 8), "").await,
            );
            let status = alice.publish_as(json!({
                "status": "Hello & **welcome**\nto us", "spoiler_text": "Some \"words\"",
                "language": "en", "media_ids": [seen["id"], plain["id"]],
            })).await;
            let viewer = app.user("bob").await;
            assert_eq!(translate(&viewer, &status, "de").await.ok(), json!({
                "content": "<p>HELLO &amp; **WELCOME**<br />TO US</p>",
                "spoiler_text": "SOME \"WORDS\"",
                "language": "de",
                "poll": null,
                "media_attachments": [{ "id": seen["id"], "description": "A CAT\n& A <DOG>" }],
                "detected_source_language": "en",
                "provider": "LibreTranslate",
            }));
            let question = &service.questions()[0];
            assert_eq!((&question["source"], &question["target"]), (&json!("en"), &json!("de")));
            assert_eq!(question["q"].as_array().unwrap().len(), 3);
        });
    }

    fn the_options_of_a_poll_are_translated_in_their_order(database: &TestDatabase) {
        with_translator(database, async |app, _| {
            let alice = app.user("alice").await;
            let poll = json!({ "options": ["yes", "1 + 1", "no"], "expires_in": 3600 });
            let status = ask_as(&alice, poll, "unlisted").await;
            let shown = translate(&alice, &status, "fr").await.ok();
            let titles = json!([{ "title": "YES" }, { "title": "1 + 1" }, { "title": "NO" }]);
            assert_eq!(shown["poll"], json!({ "id": status["poll"]["id"], "options": titles }));
            assert_eq!((&shown["spoiler_text"], &shown["media_attachments"]), (&json!(""), &json!([])));
        });
    }

    fn names_links_and_emojis_are_not_translated(database: &TestDatabase) {
        with_translator(database, async |app, _| {
            app.emoji("cat", None, png(8, 8)).await;
            let (alice, _bob) = (app.user("alice").await, app.user("bob").await);
            let status = alice.publish_as(json!({
                "status": "Hey @bob #birds :cat: :dog: https://www.example.org/a?b=c&d=this-is-very-long",
                "spoiler_text": "my :cat:", "language": "en",
            })).await;
            let shown = translate(&alice, &status, "de").await.ok();
            let content = status["content"].as_str().unwrap();
            assert!(content.contains("class=\"u-url mention\"") && content.contains("rel=\"tag\""));
            assert_eq!(shown["content"], content.replace("Hey", "HEY").replace(":dog:", ":DOG:"));
            assert_eq!(shown["spoiler_text"], "MY :cat:");
        });
    }

    fn elements_are_preserved_and_code_is_not_translated(database: &TestDatabase) {
        with_translator(database, async |app, _| {
            let alice = app.user("alice").await;
            let status = alice.publish_as(json!({
                "status": "# one\n\n- two **three** `let x`\n\n```\nfn main() {}\n```",
                "content_type": "text/markdown", "language": "en",
            })).await;
            let content = status["content"].as_str().unwrap();
            let mut wanted = content.to_owned();
            for word in ["one", "two", "three"] {
                wanted = wanted.replace(word, &word.to_uppercase());
            }
            assert!(wanted.contains("<li>TWO") && wanted.contains("fn main"), "{wanted}");
            assert_eq!(translate(&alice, &status, "de").await.ok()["content"], wanted);
        });
    }

    // The backend's HTML is sanitised like that of a status.
    fn translations_are_sanitised_like_statuses(database: &TestDatabase) {
        with_translator(database, async |app, service| {
            let alice = app.user("alice").await;
            let status = alice.publish_as(json!({
                "status": "Hello", "spoiler_text": "Oh", "language": "en",
            })).await;
            service.response(|received| match received.path.as_str() {
                "/languages" => json_answer(&json!([{ "code": "en", "targets": ["de"] }])),
                _ => translated(&[
                    "<p onclick=x>Hallo<img src=x onerror=1><script>alert(1)</script>\
                     <a href='https://evil.example'>here</a><iframe src=x></iframe><b>!</b>",
                    "<b>Ach</b><script>1</script> &lt;i&gt;",
                ]),
            });
            for _ in 0..2 {
                let shown = translate(&alice, &status, "de").await.ok();
                assert_eq!(shown["content"], "<p>Hallohere<b>!</b></p>");
                assert_eq!(shown["spoiler_text"], "Ach <i>");
            }
            assert_eq!(service.received().len(), 1);
        });
    }

    // Translations are cached for a week, by text.
    fn translations_are_cached_for_a_week(database: &TestDatabase) {
        with_translator(database, async |app, service| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            let (status, same) = (english(&alice, "Hello").await, english(&bob, "Hello").await);
            let first = translate(&alice, &status, "de").await.ok();
            assert_eq!(translate(&bob, &status, "de").await.ok(), first);
            assert_eq!(translate(&bob, &same, "de").await.ok(), first);
            assert_eq!(service.received().len(), 1);
            translate(&bob, &status, "fr").await.ok();
            assert_eq!(service.received().len(), 2);
            assert_eq!(app.app().write(expired).await.unwrap(), 0);
            app.advance(WEEK);
            translate(&bob, &status, "de").await.ok();
            assert_eq!(service.received().len(), 3);
            assert_eq!(app.app().write(expired).await.unwrap(), 1);
        });
    }

    fn concurrent_requests_cost_one_translation(database: &TestDatabase) {
        with_translator(database, async |app, service| {
            let alice = app.user("alice").await;
            let status = english(&alice, "Hello").await;
            service.response(|received| match received.path.as_str() {
                "/languages" => json_answer(&json!([{ "code": "en", "targets": ["de"] }])),
                _ => {
                    std::thread::sleep(Duration::from_millis(300));
                    translated(&["Hallo"])
                }
            });
            let answers = join_all((0..6).map(|_| translate(&alice, &status, "de"))).await;
            assert!(answers.iter().all(|response| response.ok()["content"] == "<p>Hallo</p>"));
            assert_eq!((service.received().len(), service.language_requests()), (1, 1));
        });
    }

    fn an_edit_is_translated_again(database: &TestDatabase) {
        with_translator(database, async |app, service| {
            let alice = app.user("alice").await;
            let status = english(&alice, "Hello").await;
            translate(&alice, &status, "de").await.ok();
            let path = format!("/api/v1/statuses/{}", id(&status));
            let edit = json!({ "status": "Goodbye", "language": "en" });
            alice.send(alice.request(Method::PUT, &path).json(&edit)).await.ok();
            let shown = translate(&alice, &status, "de").await.ok();
            assert_eq!((&shown["content"], service.received().len()), (&json!("<p>GOODBYE</p>"), 2));
        });
    }

    fn a_reblog_is_translated_like_the_original_status(database: &TestDatabase) {
        with_translator(database, async |app, _| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            let reblog = bob.act("reblog", &english(&alice, "Hello").await).await;
            assert_eq!(translate(&bob, &reblog, "de").await.ok()["content"], "<p>HELLO</p>");
        });
    }

    fn private_statuses_are_not_translated(database: &TestDatabase) {
        with_translator(database, async |app, service| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            for visibility in ["private", "direct"] {
                let status = alice.publish_as(json!({
                    "status": "Secret", "visibility": visibility, "language": "en",
                })).await;
                let refused = translate(&alice, &status, "fr").await;
                assert_eq!(
                    refusal(&refused, 403), "Only public and unlisted posts can be translated"
                );
                let hidden = translate(&bob, &status, "fr").await;
                assert_eq!((hidden.status, hidden.text().as_str()), (404, r#"{"error":"Record not found"}"#));
            }
            let unknown = translate(&bob, &json!({ "id": "115600000000000001" }), "fr").await;
            assert_eq!((unknown.status, unknown.text().as_str()), (404, r#"{"error":"Record not found"}"#));
            assert_eq!(service.questions(), Vec::<Value>::new());
        });
    }

    fn translating_needs_a_token_with_the_read_scope(database: &TestDatabase) {
        with_translator(database, async |app, service| {
            let alice = app.user("alice").await;
            let status = english(&alice, "Hello").await;
            assert_eq!(
                refusal(&translate(&app.anonymous(), &status, "de").await, 401),
                "The access token is invalid"
            );
            let narrow = app.user_with_scopes(&alice, "read:accounts write").await;
            assert_eq!(translate(&narrow, &status, "de").await.status, 403);
            assert_eq!(service.questions(), Vec::<Value>::new());
            let narrow = app.user_with_scopes(&alice, "read:statuses").await;
            translate(&narrow, &status, "de").await.ok();
            // An application without an account is refused: anyone can register one, and each
            // translation costs the operator.
            let received = service.questions().len();
            let application = app.application("read").await;
            assert_eq!(
                refusal(&translate(&application, &status, "fr").await, 422),
                "This method requires an authenticated user"
            );
            assert_eq!(service.questions().len(), received);
        });
    }

    fn only_supported_language_pairs_are_requested(database: &TestDatabase) {
        with_translator(database, async |app, service| {
            let alice = app.user("alice").await;
            let status = english(&alice, "Hello").await;
            for lang in ["en", "EN", "en-GB", "it", "klingon"] {
                assert_eq!(
                    refusal(&translate(&alice, &status, lang).await, 403),
                    "This post cannot be translated into this language", "{lang}"
                );
            }
            let danish = alice.publish_as(json!({ "status": "Hej", "language": "da" })).await;
            assert_eq!(translate(&alice, &danish, "de").await.status, 403);
            assert_eq!(service.questions(), Vec::<Value>::new());
            for lang in ["de", "DE-at", "de_CH"] {
                assert_eq!(translate(&alice, &status, lang).await.ok()["language"], "de");
            }
        });
    }

    fn the_backend_detects_an_unknown_language(database: &TestDatabase) {
        with_translator(database, async |app, service| {
            let alice = app.user("alice").await;
            let status = alice.publish("ok then").await;
            assert_eq!(status["language"], Value::Null);
            for _ in 0..2 {
                let shown = translate(&alice, &status, "de").await.ok();
                assert_eq!(shown["detected_source_language"], "en");
            }
            assert_eq!(service.questions()[0]["source"], "auto");
        });
    }

    fn the_target_language_is_that_of_the_viewer(database: &TestDatabase) {
        let open = |config: &mut siskin_server::Config| {
            config.fixed_settings.push(("registrations".to_owned(), "open".to_owned()));
            config.fixed_settings.push(("languages".to_owned(), "fr,en".to_owned()));
        };
        with_translator_and(database, open, async |app, _| {
            let alice = app.user("alice").await;
            let status = english(&alice, "Hello").await;
            let path = format!("/api/v1/statuses/{}/translate", id(&status));
            let language = async |viewer: &Client, accepted: Option<&str>| {
                let mut request = viewer.request(Method::POST, &path);
                if let Some(accepted) = accepted {
                    request = request.header("accept-language", accepted);
                }
                viewer.send(request).await.ok()["language"].clone()
            };
            assert_eq!(language(&alice, None).await, "fr");
            assert_eq!(language(&alice, Some("fr;q=0.5, xx, de-AT;q=0.9")).await, "de");
            let application = app.application("read write").await;
            let new = application.form("/api/v1/accounts", &[
                ("username", "karl"), ("email", "karl@example.com"), ("locale", "de"),
                ("password", "correct horse battery"), ("agreement", "true"),
            ]).await.ok();
            let karl = app.with_token(new["access_token"].as_str().unwrap());
            assert_eq!(language(&karl, Some("fr")).await, "de");
            assert_eq!(translate(&karl, &status, "fr").await.ok()["language"], "fr");
        });
    }

    fn a_failing_backend_is_reported_and_not_cached(database: &TestDatabase) {
        with_translator(database, async |app, service| {
            let (alice, _bob) = (app.user("alice").await, app.user("bob").await);
            let status = english(&alice, "Hello @bob").await;
            translate(&alice, &english(&alice, "warm up").await, "fr").await.ok();
            let (broken, spent) = (
                "The translation service does not answer properly, try again later",
                "The translation service is used up for now, try again later",
            );
            for (head, body, expected) in [
                ("500 Oops", "{}", broken),
                ("200 OK", "<h1>Hello</h1>", broken),
                ("200 OK", r#"{"translatedText":[]}"#, broken),
                ("200 OK", r#"{"translatedText":["a","b"]}"#, broken),
                ("200 OK", r#"{"translatedText":["<p></p>"]}"#, broken),
                ("200 OK", r#"{"translatedText":["<p>Hallo"]}"#, broken),
                ("429 Too Many Requests", "{}", spent),
                ("403 Forbidden", "{}", spent),
            ] {
                service.response(move |_| response(head, &[], body.as_bytes()));
                let refused = translate(&alice, &status, "fr").await;
                assert_eq!(refusal(&refused, 503), expected, "{head} {body}");
            }
            service.recover();
            let shown = translate(&alice, &status, "fr").await.ok();
            assert!(shown["content"].as_str().unwrap().starts_with("<p>HELLO <span class=\"h-card\">"));
        });
    }

    fn statuses_without_text_are_not_sent(database: &TestDatabase) {
        with_translator(database, async |app, service| {
            app.emoji("cat", None, png(8, 8)).await;
            let alice = app.user("alice").await;
            let status = english(&alice, ":cat: 1 + 1 🐦").await;
            assert_eq!(translate(&alice, &status, "de").await.ok()["content"], status["content"]);
            assert_eq!(service.questions(), Vec::<Value>::new());
        });
    }

    fn translations_are_limited(database: &TestDatabase) {
        let limited = |config: &mut siskin_server::Config| {
            config.fixed_settings.clear();
            config.fixed_settings.push(("rate_limits.translate".to_owned(), "2".to_owned()));
        };
        with_translator_and(database, limited, async |app, _| {
            let (alice, bob) = (app.user("alice").await, app.user("bob").await);
            let status = english(&alice, "Hello").await;
            for _ in 0..2 {
                translate(&alice, &status, "fr").await.ok();
            }
            let refused = translate(&alice, &status, "fr").await;
            assert_eq!(refusal(&refused, 429), "Too many requests");
            assert_eq!(refused.header("x-ratelimit-limit"), Some("2"));
            translate(&bob, &status, "fr").await.ok();
        });
    }

    fn deepl_translates_too(database: &TestDatabase) {
        with_deepl(database, async |app, service| {
            let alice = app.user("alice").await;
            let status = alice.publish_as(json!({ "status": "Guten Tag", "language": "de" })).await;
            for (lang, target) in [("en", "en"), ("en-gb", "en-GB")] {
                let shown = translate(&alice, &status, lang).await.ok();
                assert_eq!((&shown["content"], &shown["language"]), (&json!("<p>GUTEN TAG</p>"), &json!(target)));
                assert_eq!((&shown["provider"], &shown["detected_source_language"]), (&json!("DeepL.com"), &json!("de")));
            }
            let question = &service.questions()[1];
            assert_eq!((&question["source_lang"], &question["target_lang"]), (&json!("DE"), &json!("EN-GB")));
        });
    }
}

api_tests! {
    async fn without_a_backend_nothing_is_translated(app: &TestApp) {
        let alice = app.user("alice").await;
        let status = english(&alice, "Hello").await;
        assert_eq!(
            refusal(&translate(&alice, &status, "fr").await, 503),
            "Translation is not available on this server"
        );
        let secret = alice.publish_as(json!({ "status": "x", "visibility": "private" })).await;
        let bob = app.user("bob").await;
        assert_eq!(translate(&bob, &secret, "fr").await.status, 404);
    }
}
