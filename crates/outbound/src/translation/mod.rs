//! Translation services behind one trait: [`LibreTranslate`], [`DeepL`], or an external
//! implementation.
//!
//! Texts are sent as HTML in which some elements are marked as untranslatable. The response can be
//! anything: this module neither sanitises nor trusts it. Callers decide what is translated and
//! what is cached.

mod deepl;
mod libretranslate;

use std::{fmt, future::Future, pin::Pin, time::Duration};

use serde::{Serialize, de::DeserializeOwned};
use siskin_entities::translation::Languages;
use thiserror::Error;

use crate::{
    FetchError, HttpClient, HttpResponse, Limits, Request,
    header::{ACCEPT, CONTENT_TYPE, HeaderValue},
    parse_blocking,
};

pub use deepl::DeepL;
pub use libretranslate::LibreTranslate;

/// A translation takes seconds on a small machine and is at most as long as a few statuses.
const LIMITS: Limits = Limits { bytes: 1 << 20, time: Duration::from_secs(20), redirects: 0 };

/// Request to a translation service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranslationRequest {
    /// HTML texts that are translated independently.
    pub texts: Vec<String>,
    /// Source language as in [`Translator::languages`]; `None` requests detection.
    pub source: Option<String>,
    /// Target language as in [`Translator::languages`].
    pub target: String,
}

/// Response of a translation service. It is not trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Translated {
    /// Translated HTML texts, in the number and order of the request.
    pub texts: Vec<String>,
    /// Detected language of the first text, if the service detects languages.
    pub detected: Option<String>,
}

/// Reason why a translation failed.
#[derive(Debug, Error)]
pub enum TranslationError {
    /// The service was not reached, or its response was too long or too late.
    #[error("the translation service did not respond")]
    Fetch(#[from] FetchError),
    /// The rate limit of the service is exceeded.
    #[error("the translation service received too many requests")]
    TooMany,
    /// The quota of the account is used up.
    #[error("the quota of the translation service is used up")]
    Quota,
    /// The service responded with this status.
    #[error("the translation service responded with status {0}")]
    Refused(u16),
    /// The response does not match the protocol or has a wrong number of texts.
    #[error("the response of the translation service is invalid")]
    InvalidResponse,
}

/// Future result of a request to a translation service.
pub type TranslationFuture<'a, T> =
    Pin<Box<dyn Future<Output = Result<T, TranslationError>> + Send + 'a>>;

/// Translation service. Callers must not hold a database connection during a call.
pub trait Translator: fmt::Debug + Send + Sync + 'static {
    /// Returns the name of the service, which is shown below translations.
    fn provider(&self) -> &str;

    /// Returns the supported language pairs. Called periodically, not for every text.
    fn languages(&self) -> TranslationFuture<'_, Languages>;

    /// Translates all texts, or fails as a whole.
    fn translate<'a>(&'a self, input: &'a TranslationRequest) -> TranslationFuture<'a, Translated>;
}

/// Builds a `POST` request with a JSON body.
fn post_json(url: &str, body: &impl Serialize) -> Result<Request, TranslationError> {
    let body = serde_json::to_vec(body).map_err(|_| TranslationError::InvalidResponse)?;
    let json = HeaderValue::from_static("application/json");
    Ok(Request::post(url, body).with(CONTENT_TYPE, json.clone()).with(ACCEPT, json))
}

/// Sends a request and parses the JSON response. `quota` is the status with which the service
/// reports an exhausted quota.
async fn fetch_json<T: DeserializeOwned + Send + 'static>(
    http: &HttpClient,
    request: &Request,
    quota: u16,
) -> Result<T, TranslationError> {
    let HttpResponse { status, body, .. } = http.send(request, LIMITS).await?;
    match status.as_u16() {
        200..=299 => {
            let parsed = parse_blocking(move || serde_json::from_slice(&body)).await?;
            parsed.map_err(|_| TranslationError::InvalidResponse)
        }
        429 => Err(TranslationError::TooMany),
        refused if refused == quota => Err(TranslationError::Quota),
        refused => Err(TranslationError::Refused(refused)),
    }
}

/// Limits of the length of a translation in bytes: this factor of the source length plus this
/// margin.
const MAX_GROWTH: usize = 8;
const MAX_MARGIN: usize = 4 << 10;

/// Returns the response if it has as many texts as the request and none exceeds the length limit.
fn checked_texts(
    texts: Vec<String>,
    detected: Option<String>,
    input: &TranslationRequest,
) -> Result<Translated, TranslationError> {
    let fits = |(translated, sent): (&String, &String)| {
        translated.len() <= sent.len() * MAX_GROWTH + MAX_MARGIN
    };
    if texts.len() != input.texts.len() || !texts.iter().zip(&input.texts).all(fits) {
        return Err(TranslationError::InvalidResponse);
    }
    Ok(Translated { texts, detected: detected.map(|code| code.to_lowercase()) })
}
