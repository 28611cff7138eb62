//! Client for the LibreTranslate API (<https://docs.libretranslate.com>).

use std::fmt;

use serde::{Deserialize, Serialize};
use siskin_entities::translation::Languages;

use super::{
    Translated, TranslationFuture, TranslationRequest, Translator, checked_texts, fetch_json,
    post_json,
};
use crate::{FetchError, HttpClient, Request, Url};

/// Status of responses to a banned or exhausted API key.
const QUOTA: u16 = 403;

/// Server that implements the LibreTranslate API.
#[derive(Clone)]
pub struct LibreTranslate {
    http: HttpClient,
    /// Base URL without a trailing slash.
    base: String,
    key: Option<String>,
}

impl fmt::Debug for LibreTranslate {
    /// Omits the API key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LibreTranslate").field("base", &self.base).finish_non_exhaustive()
    }
}

impl LibreTranslate {
    /// Creates a client for the server at `url`, which may be on a private address.
    ///
    /// # Errors
    /// Returns [`FetchError::Address`] if `url` is not a valid URL.
    pub fn new(http: &HttpClient, url: &str, key: Option<String>) -> Result<Self, FetchError> {
        let server = Url::parse(url).map_err(|_| FetchError::Address("it is malformed"))?;
        let base = url.trim_end_matches('/').to_owned();
        Ok(Self { http: http.trusting(&server)?, base, key })
    }
}

#[derive(Serialize)]
struct TranslateBody<'a> {
    q: &'a [String],
    source: &'a str,
    target: &'a str,
    format: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    api_key: Option<&'a str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TranslateResponse {
    translated_text: Vec<String>,
    /// One entry per text, if language detection was requested.
    #[serde(default)]
    detected_language: Vec<Detected>,
}

#[derive(Deserialize)]
struct Detected {
    language: String,
}

#[derive(Deserialize)]
struct Language {
    code: String,
    /// Old servers translate all languages into all others and omit this field.
    targets: Option<Vec<String>>,
}

impl Translator for LibreTranslate {
    fn provider(&self) -> &str {
        "LibreTranslate"
    }

    fn languages(&self) -> TranslationFuture<'_, Languages> {
        Box::pin(async {
            let request = Request::get(format!("{}/languages", self.base));
            let known: Vec<Language> = fetch_json(&self.http, &request, QUOTA).await?;
            let all: Vec<String> = known.iter().map(|language| language.code.clone()).collect();
            let pairs = known
                .into_iter()
                .map(|known| (known.code, known.targets.unwrap_or_else(|| all.clone())));
            Ok(Languages::new(pairs))
        })
    }

    fn translate<'a>(&'a self, input: &'a TranslationRequest) -> TranslationFuture<'a, Translated> {
        Box::pin(async {
            let body = TranslateBody {
                q: &input.texts,
                source: input.source.as_deref().unwrap_or("auto"),
                target: &input.target,
                format: "html",
                api_key: self.key.as_deref(),
            };
            let request = post_json(&format!("{}/translate", self.base), &body)?;
            let response: TranslateResponse = fetch_json(&self.http, &request, QUOTA).await?;
            let detected = response.detected_language.into_iter().next();
            checked_texts(response.translated_text, detected.map(|found| found.language), input)
        })
    }
}
