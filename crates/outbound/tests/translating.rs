//! Tests of the translation clients with servers on loopback.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{net::IpAddr, sync::Arc};

use serde_json::{Value, json};
use siskin_entities::translation::{LanguagePair, Languages};
use siskin_outbound::{
    FetchError, HttpClient, LookupFuture, NameResolver, Request,
    translation::{DeepL, LibreTranslate, TranslationError, TranslationRequest, Translator},
};
use siskin_test_support::site::{ReceivedRequest, Site, page, redirect, response};

/// Returns a client that cannot reach loopback addresses by itself.
fn http() -> HttpClient {
    HttpClient::new("Siskin (test)", Vec::new())
}

fn json_of(body: &Value) -> Vec<u8> {
    response("200 OK", &[("content-type", "application/json")], body.to_string().as_bytes())
}

fn received(texts: &[&str], source: Option<&str>) -> TranslationRequest {
    TranslationRequest {
        texts: texts.iter().map(|text| (*text).to_owned()).collect(),
        source: source.map(str::to_owned),
        target: "de".to_owned(),
    }
}

fn sent(received: &ReceivedRequest) -> Value {
    serde_json::from_slice(&received.body).unwrap()
}

fn libre(received: &ReceivedRequest) -> Vec<u8> {
    match received.path.as_str() {
        "/lt/languages" => json_of(&json!([
            { "code": "en", "name": "English", "targets": ["de", "en"] },
            { "code": "de", "name": "German", "targets": ["en", "de"] },
            { "code": "old", "name": "Old" },
        ])),
        "/lt/translate" => {
            let texts = sent(received)["q"].as_array().unwrap().clone();
            let texts: Vec<String> =
                texts.iter().map(|text| text.as_str().unwrap().to_uppercase()).collect();
            let found: Vec<Value> =
                texts.iter().map(|_| json!({ "language": "EN", "confidence": 90.0 })).collect();
            if sent(received)["source"] == "auto" {
                json_of(&json!({ "translatedText": texts, "detectedLanguage": found }))
            } else {
                json_of(&json!({ "translatedText": texts }))
            }
        }
        _ => response("404 Not Found", &[], b""),
    }
}

fn deepl(received: &ReceivedRequest) -> Vec<u8> {
    if received.header("authorization") != Some("DeepL-Auth-Key secret:fx") {
        return response("403 Forbidden", &[], b"");
    }
    match received.path.as_str() {
        "/v2/languages?type=source" => {
            json_of(&json!([{ "language": "DE", "name": "German" }, { "language": "EN" }]))
        }
        "/v2/languages?type=target" => {
            json_of(&json!([{ "language": "DE" }, { "language": "EN-GB" }]))
        }
        "/v2/translate" => {
            let texts = sent(received)["text"].as_array().unwrap().clone();
            let one = |text: &Value| {
                let text = text.as_str().unwrap().to_uppercase();
                json!({ "text": text, "detected_source_language": "EN" })
            };
            json_of(&json!({ "translations": texts.iter().map(one).collect::<Vec<_>>() }))
        }
        _ => response("404 Not Found", &[], b""),
    }
}

fn goes(languages: &Languages, source: &str, target: &str) -> Option<LanguagePair> {
    languages.pair(Some(source), target)
}

#[tokio::test]
async fn libretranslate_requests_follow_its_protocol() {
    let site = Site::start(libre);
    let service =
        LibreTranslate::new(&http(), &site.url("/lt/"), Some("secret".to_owned())).unwrap();
    assert_eq!(service.provider(), "LibreTranslate");
    let translated =
        service.translate(&received(&["<p>one</p>", "two"], Some("en"))).await.unwrap();
    assert_eq!(
        (translated.texts, translated.detected),
        (vec!["<P>ONE</P>".to_owned(), "TWO".to_owned()], None)
    );
    let question = json!({
        "q": ["<p>one</p>", "two"], "source": "en", "target": "de", "format": "html",
        "api_key": "secret",
    });
    assert_eq!(sent(&site.received()[0]), question);
    assert_eq!(site.received()[0].header("content-type"), Some("application/json"));
    let languages = service.languages().await.unwrap();
    assert!(goes(&languages, "en", "de").is_some() && goes(&languages, "old", "de").is_some());
    assert!(goes(&languages, "de", "old").is_none());
    assert!(!format!("{service:?}").contains("secret"));
}

#[tokio::test]
async fn an_unspecified_language_is_detected() {
    let (libre, deepl) = (Site::start(libre), Site::start(deepl));
    let services: [Arc<dyn Translator>; 2] = [
        Arc::new(LibreTranslate::new(&http(), &libre.url("/lt"), None).unwrap()),
        Arc::new(DeepL::new(&http(), "secret:fx", Some(&deepl.url(""))).unwrap()),
    ];
    for service in services {
        let translated = service.translate(&received(&["one"], None)).await.unwrap();
        assert_eq!(translated.detected.as_deref(), Some("en"), "{service:?}");
    }
    assert_eq!(sent(&libre.received()[0])["source"], "auto");
    assert_eq!(sent(&libre.received()[0]).get("api_key"), None);
    assert_eq!(sent(&deepl.received()[0]).get("source_lang"), None);
}

#[tokio::test]
async fn deepl_requests_follow_its_protocol() {
    let site = Site::start(deepl);
    let service = DeepL::new(&http(), "secret:fx", Some(&site.url(""))).unwrap();
    assert_eq!(service.provider(), "DeepL.com");
    let translated = service.translate(&received(&["one"], Some("en"))).await.unwrap();
    assert_eq!((translated.texts, translated.detected), (vec!["ONE".to_owned()], None));
    let question = json!({
        "text": ["one"], "source_lang": "EN", "target_lang": "DE", "tag_handling": "html",
    });
    assert_eq!(sent(&site.received()[0]), question);
    let languages = service.languages().await.unwrap();
    assert!(goes(&languages, "de", "en-GB").is_some());
    let plain = goes(&languages, "de", "en").unwrap();
    assert_eq!(plain.target, "en");
    assert!(!format!("{service:?}").contains("secret"));
}

#[test]
fn the_deepl_host_follows_from_the_key() {
    for (key, host) in [("a:fx", "https://api-free.deepl.com"), ("a", "https://api.deepl.com")] {
        let service = DeepL::new(&http(), key, None).unwrap();
        assert!(format!("{service:?}").contains(host));
    }
    assert!(DeepL::new(&http(), "a\nb", None).is_err());
    assert!(DeepL::new(&http(), "a", Some("nowhere")).is_err());
    assert!(LibreTranslate::new(&http(), "ftp://example.org", None).is_err());
}

#[tokio::test]
async fn other_responses_of_a_service_are_errors() {
    use TranslationError::{InvalidResponse, Quota, Refused, TooMany};
    type Answers = fn(&ReceivedRequest) -> Vec<u8>;
    type Check = fn(&TranslationError) -> bool;
    let cases: [(Answers, Check); 8] = [
        (|_| response("429 Too Many Requests", &[], b""), |e| matches!(e, TooMany)),
        (|_| response("403 Forbidden", &[], b""), |e| matches!(e, Quota)),
        (|_| response("500 Oops", &[], b"{}"), |e| matches!(e, Refused(500))),
        (|_| redirect("/elsewhere"), |e| matches!(e, Refused(302))),
        (|_| page("<h1>Hello</h1>"), |e| matches!(e, InvalidResponse)),
        (|_| json_of(&json!({ "translatedText": "one" })), |e| matches!(e, InvalidResponse)),
        (|_| json_of(&json!({ "translatedText": ["one"] })), |e| matches!(e, InvalidResponse)),
        (
            |_| page(&"x".repeat(2_000_000)),
            |e| matches!(e, TranslationError::Fetch(FetchError::TooLarge)),
        ),
    ];
    for (number, (answers, is_right)) in cases.into_iter().enumerate() {
        let site = Site::start(answers);
        let service = LibreTranslate::new(&http(), &site.url(""), None).unwrap();
        let error = service.translate(&received(&["one", "two"], None)).await.unwrap_err();
        assert!(is_right(&error), "{number}: {error:?}");
    }
    let spent = Site::start(|_| response("456 Quota exceeded", &[], b""));
    let service = DeepL::new(&http(), "a", Some(&spent.url(""))).unwrap();
    let error = service.translate(&received(&["one"], None)).await.unwrap_err();
    assert!(matches!(error, Quota), "{error:?}");
}

/// Resolver that returns loopback for every name.
struct Here;

impl NameResolver for Here {
    fn look_up(&self, _: &str) -> LookupFuture {
        let here: IpAddr = "127.0.0.1".parse().unwrap();
        Box::pin(async move { Ok(vec![here]) })
    }
}

#[tokio::test]
async fn only_the_configured_server_is_reached_on_the_private_network() {
    let (site, other) = (Site::start(libre), Site::start(|_| page("secret")));
    let strict = HttpClient::with_resolver("x", Vec::new(), Arc::new(Here));
    let url = format!("http://translate.internal:{}/lt", site.address().port());
    let service = LibreTranslate::new(&strict, &url, None).unwrap();
    service.translate(&received(&["one"], None)).await.unwrap();
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
    assert_eq!(other.received(), []);
}
