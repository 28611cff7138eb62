//! Tests of the translation clients with servers on loopback.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{net::IpAddr, sync::Arc};

use serde_json::{Value, json};
use siskin_entities::translation::{LanguagePair, Languages};
use siskin_outbound::{
    FetchError, HttpClient, Looked, Names, Request,
    translation::{DeepL, LibreTranslate, ToTranslate, TranslationError, Translator},
};
use siskin_test_support::site::{Asked, Site, answer, page, redirect};

/// Returns a client that cannot reach loopback addresses by itself.
fn http() -> HttpClient {
    HttpClient::new("Siskin (test)", Vec::new())
}

fn json_of(body: &Value) -> Vec<u8> {
    answer("200 OK", &[("content-type", "application/json")], body.to_string().as_bytes())
}

fn asked(texts: &[&str], source: Option<&str>) -> ToTranslate {
    ToTranslate {
        texts: texts.iter().map(|text| (*text).to_owned()).collect(),
        source: source.map(str::to_owned),
        target: "de".to_owned(),
    }
}

fn sent(asked: &Asked) -> Value {
    serde_json::from_slice(&asked.body).unwrap()
}

fn libre(asked: &Asked) -> Vec<u8> {
    match asked.path.as_str() {
        "/lt/languages" => json_of(&json!([
            { "code": "en", "name": "English", "targets": ["de", "en"] },
            { "code": "de", "name": "German", "targets": ["en", "de"] },
            { "code": "old", "name": "Old" },
        ])),
        "/lt/translate" => {
            let texts = sent(asked)["q"].as_array().unwrap().clone();
            let texts: Vec<String> =
                texts.iter().map(|text| text.as_str().unwrap().to_uppercase()).collect();
            let found: Vec<Value> =
                texts.iter().map(|_| json!({ "language": "EN", "confidence": 90.0 })).collect();
            if sent(asked)["source"] == "auto" {
                json_of(&json!({ "translatedText": texts, "detectedLanguage": found }))
            } else {
                json_of(&json!({ "translatedText": texts }))
            }
        }
        _ => answer("404 Not Found", &[], b""),
    }
}

fn deepl(asked: &Asked) -> Vec<u8> {
    if asked.header("authorization") != Some("DeepL-Auth-Key secret:fx") {
        return answer("403 Forbidden", &[], b"");
    }
    match asked.path.as_str() {
        "/v2/languages?type=source" => {
            json_of(&json!([{ "language": "DE", "name": "German" }, { "language": "EN" }]))
        }
        "/v2/languages?type=target" => {
            json_of(&json!([{ "language": "DE" }, { "language": "EN-GB" }]))
        }
        "/v2/translate" => {
            let texts = sent(asked)["text"].as_array().unwrap().clone();
            let one = |text: &Value| {
                let text = text.as_str().unwrap().to_uppercase();
                json!({ "text": text, "detected_source_language": "EN" })
            };
            json_of(&json!({ "translations": texts.iter().map(one).collect::<Vec<_>>() }))
        }
        _ => answer("404 Not Found", &[], b""),
    }
}

fn goes(languages: &Languages, source: &str, target: &str) -> Option<LanguagePair> {
    languages.pair(Some(source), target)
}

#[tokio::test]
async fn libretranslate_is_asked_in_its_own_words() {
    let site = Site::start(libre);
    let service =
        LibreTranslate::new(&http(), &site.url("/lt/"), Some("secret".to_owned())).unwrap();
    assert_eq!(service.provider(), "LibreTranslate");
    let translated = service.translate(&asked(&["<p>one</p>", "two"], Some("en"))).await.unwrap();
    assert_eq!(
        (translated.texts, translated.detected),
        (vec!["<P>ONE</P>".to_owned(), "TWO".to_owned()], None)
    );
    let question = json!({
        "q": ["<p>one</p>", "two"], "source": "en", "target": "de", "format": "html",
        "api_key": "secret",
    });
    assert_eq!(sent(&site.asked()[0]), question);
    assert_eq!(site.asked()[0].header("content-type"), Some("application/json"));
    let languages = service.languages().await.unwrap();
    assert!(goes(&languages, "en", "de").is_some() && goes(&languages, "old", "de").is_some());
    assert!(goes(&languages, "de", "old").is_none());
    assert!(!format!("{service:?}").contains("secret"));
}

#[tokio::test]
async fn a_language_that_nobody_named_is_found_out() {
    let (libre, deepl) = (Site::start(libre), Site::start(deepl));
    let services: [Arc<dyn Translator>; 2] = [
        Arc::new(LibreTranslate::new(&http(), &libre.url("/lt"), None).unwrap()),
        Arc::new(DeepL::new(&http(), "secret:fx", Some(&deepl.url(""))).unwrap()),
    ];
    for service in services {
        let translated = service.translate(&asked(&["one"], None)).await.unwrap();
        assert_eq!(translated.detected.as_deref(), Some("en"), "{service:?}");
    }
    assert_eq!(sent(&libre.asked()[0])["source"], "auto");
    assert_eq!(sent(&libre.asked()[0]).get("api_key"), None);
    assert_eq!(sent(&deepl.asked()[0]).get("source_lang"), None);
}

#[tokio::test]
async fn deepl_is_asked_in_its_own_words() {
    let site = Site::start(deepl);
    let service = DeepL::new(&http(), "secret:fx", Some(&site.url(""))).unwrap();
    assert_eq!(service.provider(), "DeepL.com");
    let translated = service.translate(&asked(&["one"], Some("en"))).await.unwrap();
    assert_eq!((translated.texts, translated.detected), (vec!["ONE".to_owned()], None));
    let question = json!({
        "text": ["one"], "source_lang": "EN", "target_lang": "DE", "tag_handling": "html",
    });
    assert_eq!(sent(&site.asked()[0]), question);
    let languages = service.languages().await.unwrap();
    assert!(goes(&languages, "de", "en-GB").is_some());
    let plain = goes(&languages, "de", "en").unwrap();
    assert_eq!(plain.target, "en");
    assert!(!format!("{service:?}").contains("secret"));
}

#[test]
fn where_deepl_is_follows_from_the_key() {
    for (key, host) in [("a:fx", "https://api-free.deepl.com"), ("a", "https://api.deepl.com")] {
        let service = DeepL::new(&http(), key, None).unwrap();
        assert!(format!("{service:?}").contains(host));
    }
    assert!(DeepL::new(&http(), "a\nb", None).is_err());
    assert!(DeepL::new(&http(), "a", Some("nowhere")).is_err());
    assert!(LibreTranslate::new(&http(), "ftp://example.org", None).is_err());
}

#[tokio::test]
async fn whatever_else_a_service_answers_is_an_error() {
    use TranslationError::{Nonsense, Quota, Refused, TooMany};
    type Answers = fn(&Asked) -> Vec<u8>;
    type Told = fn(&TranslationError) -> bool;
    let cases: [(Answers, Told); 8] = [
        (|_| answer("429 Too Many Requests", &[], b""), |e| matches!(e, TooMany)),
        (|_| answer("403 Forbidden", &[], b""), |e| matches!(e, Quota)),
        (|_| answer("500 Oops", &[], b"{}"), |e| matches!(e, Refused(500))),
        (|_| redirect("/elsewhere"), |e| matches!(e, Refused(302))),
        (|_| page("<h1>Hello</h1>"), |e| matches!(e, Nonsense)),
        (|_| json_of(&json!({ "translatedText": "one" })), |e| matches!(e, Nonsense)),
        (|_| json_of(&json!({ "translatedText": ["one"] })), |e| matches!(e, Nonsense)),
        (
            |_| page(&"x".repeat(2_000_000)),
            |e| matches!(e, TranslationError::Fetch(FetchError::TooLarge)),
        ),
    ];
    for (number, (answers, is_right)) in cases.into_iter().enumerate() {
        let site = Site::start(answers);
        let service = LibreTranslate::new(&http(), &site.url(""), None).unwrap();
        let error = service.translate(&asked(&["one", "two"], None)).await.unwrap_err();
        assert!(is_right(&error), "{number}: {error:?}");
    }
    let spent = Site::start(|_| answer("456 Quota exceeded", &[], b""));
    let service = DeepL::new(&http(), "a", Some(&spent.url(""))).unwrap();
    let error = service.translate(&asked(&["one"], None)).await.unwrap_err();
    assert!(matches!(error, Quota), "{error:?}");
}

/// Resolver that returns loopback for every name.
struct Here;

impl Names for Here {
    fn look_up(&self, _: &str) -> Looked {
        let here: IpAddr = "127.0.0.1".parse().unwrap();
        Box::pin(async move { Ok(vec![here]) })
    }
}

#[tokio::test]
async fn the_operators_own_server_is_reached_inside_and_nothing_else_is() {
    let (site, other) = (Site::start(libre), Site::start(|_| page("secret")));
    let strict = HttpClient::looking_up("x", Vec::new(), Arc::new(Here));
    let url = format!("http://translate.internal:{}/lt", site.address().port());
    let service = LibreTranslate::new(&strict, &url, None).unwrap();
    service.translate(&asked(&["one"], None)).await.unwrap();
    let limits = siskin_outbound::Limits::PAGE;
    let trusting = strict.trusting(&url.parse().unwrap()).unwrap();
    for (client, to) in [
        (&strict, url.clone()),
        (&trusting, other.url("/")),
        (&trusting, url.replace("translate.internal", "other.internal")),
        (&trusting, format!("http://translate.internal:{}/", other.address().port())),
    ] {
        let outcome = client.send(&Request::get(&to), limits).await;
        assert!(matches!(outcome, Err(FetchError::Private(_))), "{to}: {outcome:?}");
    }
    assert_eq!(other.asked(), []);
}
