//! Translation backends on loopback.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use siskin_server::{Config, Secret, Translation};
use siskin_test_support::{
    TestDatabase,
    site::{ReceivedRequest, Site, response},
};

use super::{TestApp, run};

type Answers = Arc<dyn Fn(&ReceivedRequest) -> Vec<u8> + Send + Sync>;

/// A running backend. Unless a test changes its responses, it translates every text into capitals,
/// including names and links.
pub struct Service {
    site: Site,
    answers: Arc<Mutex<Answers>>,
}

impl Service {
    /// Starts a backend with the API of LibreTranslate: from English and German into English,
    /// German and French.
    pub fn libretranslate() -> Self {
        Self::start(Arc::new(libretranslate))
    }

    /// Starts a backend with the API of DeepL: from English and German into German and British
    /// English.
    pub fn deepl() -> Self {
        Self::start(Arc::new(deepl))
    }

    fn start(usual: Answers) -> Self {
        let answers = Arc::new(Mutex::new(usual));
        let now = Arc::clone(&answers);
        let site = Site::start(move |received| {
            let answers = Arc::clone(&now.lock().unwrap());
            answers(received)
        });
        Self { site, answers }
    }

    /// Replaces the responses from now on.
    pub fn response(&self, answers: impl Fn(&ReceivedRequest) -> Vec<u8> + Send + Sync + 'static) {
        *self.answers.lock().unwrap() = Arc::new(answers);
    }

    /// Restores the responses of LibreTranslate.
    pub fn recover(&self) {
        self.response(libretranslate);
    }

    /// Returns the texts of every translation request so far.
    pub fn received(&self) -> Vec<Vec<String>> {
        let received = self.questions().into_iter();
        received
            .map(|question| {
                let texts = question.get("q").unwrap_or(&question["text"]).clone();
                serde_json::from_value(texts).unwrap()
            })
            .collect()
    }

    /// Returns the body of every translation request so far.
    pub fn questions(&self) -> Vec<Value> {
        let received =
            self.site.received().into_iter().filter(|received| received.method == "POST");
        received.map(|received| serde_json::from_slice(&received.body).unwrap()).collect()
    }

    /// Returns the number of requests for the languages.
    pub fn language_requests(&self) -> usize {
        self.site.received().iter().filter(|received| received.path.contains("languages")).count()
    }

    fn named(&self, protocol: &str) -> Translation {
        let key = Some(Secret::from("secret".to_owned()));
        Translation::named(Some(protocol), Some(self.site.url("")), key).unwrap().unwrap()
    }
}

/// Runs `test` with a server that uses a LibreTranslate backend.
pub fn with_translator(database: &TestDatabase, test: impl AsyncFnOnce(&TestApp, &Service)) {
    with_translator_and(database, |_| (), test);
}

/// Does the same with a server that `configure` may change.
pub fn with_translator_and(
    database: &TestDatabase,
    configure: impl FnOnce(&mut Config),
    test: impl AsyncFnOnce(&TestApp, &Service),
) {
    let service = Service::libretranslate();
    let ask_there = |config: &mut Config| {
        config.translation = Some(service.named("libretranslate"));
        configure(config);
    };
    run(database, ask_there, async |app| test(app, &service).await);
}

/// Runs `test` with a server that uses a DeepL backend.
pub fn with_deepl(database: &TestDatabase, test: impl AsyncFnOnce(&TestApp, &Service)) {
    let service = Service::deepl();
    let ask_there = |config: &mut Config| config.translation = Some(service.named("deepl"));
    run(database, ask_there, async |app| test(app, &service).await);
}

/// Builds a JSON response.
pub fn json_answer(body: &Value) -> Vec<u8> {
    response("200 OK", &[("content-type", "application/json")], body.to_string().as_bytes())
}

/// Builds a response of LibreTranslate with these texts.
pub fn translated(texts: &[impl AsRef<str>]) -> Vec<u8> {
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    json_answer(&json!({ "translatedText": texts }))
}

fn libretranslate(received: &ReceivedRequest) -> Vec<u8> {
    if received.path == "/languages" {
        return json_answer(&json!([
            { "code": "en", "name": "English", "targets": ["de", "en", "fr"] },
            { "code": "de", "name": "German", "targets": ["de", "en", "fr"] },
        ]));
    }
    let question: Value = serde_json::from_slice(&received.body).unwrap();
    assert_eq!((&question["format"], &question["api_key"]), (&json!("html"), &json!("secret")));
    let texts = shouted(&question["q"]);
    let found: Vec<Value> = texts.iter().map(|_| json!({ "language": "en" })).collect();
    if question["source"] == "auto" {
        return json_answer(&json!({ "translatedText": texts, "detectedLanguage": found }));
    }
    translated(&texts)
}

fn deepl(received: &ReceivedRequest) -> Vec<u8> {
    assert_eq!(received.header("authorization"), Some("DeepL-Auth-Key secret"));
    match received.path.as_str() {
        "/v2/languages?type=source" => {
            json_answer(&json!([{ "language": "DE" }, { "language": "EN" }]))
        }
        "/v2/languages?type=target" => {
            json_answer(&json!([{ "language": "DE" }, { "language": "EN-GB" }]))
        }
        _ => {
            let question: Value = serde_json::from_slice(&received.body).unwrap();
            let texts = shouted(&question["text"]).into_iter();
            let texts = texts.map(|text| json!({ "text": text, "detected_source_language": "EN" }));
            json_answer(&json!({ "translations": texts.collect::<Vec<_>>() }))
        }
    }
}

/// Returns the texts in capitals, except for tags.
fn shouted(texts: &Value) -> Vec<String> {
    let texts: Vec<String> = serde_json::from_value(texts.clone()).unwrap();
    let shout = |html: String| {
        let pieces = html.split('<').enumerate().map(|(number, piece)| match number {
            0 => piece.to_uppercase(),
            _ => {
                let (tag, text) = piece.split_once('>').unwrap();
                format!("<{tag}>{}", text.to_uppercase())
            }
        });
        pieces.collect()
    };
    texts.into_iter().map(shout).collect()
}
