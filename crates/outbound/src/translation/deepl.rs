//! Client for the DeepL API (<https://developers.deepl.com/docs>).

use std::fmt;

use serde::{Deserialize, Serialize};
use siskin_entities::translation::Languages;

use super::{
    Translated, TranslationError, TranslationFuture, TranslationRequest, Translator, checked_texts,
    fetch_json, post_json,
};
use crate::{
    FetchError, HttpClient, Request, Url,
    header::{AUTHORIZATION, HeaderValue},
};

/// Status for an exceeded quota.
const QUOTA: u16 = 456;
/// Suffix of free plan keys, which are only valid on a separate host.
const FREE_KEY: &str = ":fx";
const FREE: &str = "https://api-free.deepl.com";
const PAID: &str = "https://api.deepl.com";

/// Client for the DeepL service.
#[derive(Clone)]
pub struct DeepL {
    http: HttpClient,
    /// Base URL without a trailing slash.
    base: String,
    authorization: HeaderValue,
}

impl fmt::Debug for DeepL {
    /// Omits the API key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeepL").field("base", &self.base).finish_non_exhaustive()
    }
}

impl DeepL {
    /// Creates a client with the API key of an account. The key determines the host, unless `url`
    /// overrides it.
    ///
    /// # Errors
    /// Returns [`FetchError::Address`] if `url` is not a valid URL or the key is malformed.
    pub fn new(http: &HttpClient, key: &str, url: Option<&str>) -> Result<Self, FetchError> {
        let usual = if key.ends_with(FREE_KEY) { FREE } else { PAID };
        let base = url.unwrap_or(usual).trim_end_matches('/').to_owned();
        let server = Url::parse(&base).map_err(|_| FetchError::Address("it is malformed"))?;
        let mut authorization = HeaderValue::from_str(&format!("DeepL-Auth-Key {key}"))
            .map_err(|_| FetchError::Address("the key contains invalid characters"))?;
        authorization.set_sensitive(true);
        Ok(Self { http: http.trusting(&server)?, base, authorization })
    }

    fn authorized(&self, request: Request) -> Request {
        request.with(AUTHORIZATION, self.authorization.clone())
    }

    /// Returns the languages of one side: `source` or `target`.
    async fn side(&self, side: &str) -> Result<Vec<String>, TranslationError> {
        let url = format!("{}/v2/languages?type={side}", self.base);
        let known: Vec<Language> =
            fetch_json(&self.http, &self.authorized(Request::get(url)), QUOTA).await?;
        Ok(known.into_iter().map(|known| known.language).collect())
    }
}

#[derive(Serialize)]
struct TranslateBody<'a> {
    text: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    source_lang: Option<String>,
    target_lang: String,
    tag_handling: &'a str,
}

#[derive(Deserialize)]
struct TranslateResponse {
    translations: Vec<One>,
}

#[derive(Deserialize)]
struct One {
    text: String,
    detected_source_language: Option<String>,
}

#[derive(Deserialize)]
struct Language {
    language: String,
}

impl Translator for DeepL {
    fn provider(&self) -> &str {
        "DeepL.com"
    }

    fn languages(&self) -> TranslationFuture<'_, Languages> {
        Box::pin(async {
            let (sources, mut targets) = (self.side("source").await?, self.side("target").await?);
            // Targets without a region (EN, PT) are accepted, too, although they are not listed.
            let bases = targets.iter().filter_map(|code| code.split_once('-'));
            let bases: Vec<String> = bases.map(|(base, _)| base.to_owned()).collect();
            targets.extend(bases);
            Ok(Languages::new(sources.into_iter().map(|source| (source, targets.clone()))))
        })
    }

    fn translate<'a>(&'a self, input: &'a TranslationRequest) -> TranslationFuture<'a, Translated> {
        Box::pin(async {
            let body = TranslateBody {
                text: &input.texts,
                source_lang: input.source.as_deref().map(str::to_uppercase),
                target_lang: input.target.to_uppercase(),
                tag_handling: "html",
            };
            let request = post_json(&format!("{}/v2/translate", self.base), &body)?;
            let response: TranslateResponse =
                fetch_json(&self.http, &self.authorized(request), QUOTA).await?;
            let first = response.translations.first();
            let detected = first.and_then(|one| one.detected_source_language.clone());
            let texts = response.translations.into_iter().map(|one| one.text).collect();
            checked_texts(texts, detected.filter(|_| input.source.is_none()), input)
        })
    }
}
