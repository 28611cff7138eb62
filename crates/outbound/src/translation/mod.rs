//! Services that translate, behind one trait: [`LibreTranslate`], [`DeepL`], or a program's own.
//!
//! Texts go out as HTML in which some elements are marked to stay as they are, and come back as
//! whatever the service makes of them: nothing here cleans or trusts an answer. What is worth
//! translating, and what is kept of it, is decided above.

mod deepl;
mod libretranslate;

use std::{fmt, future::Future, pin::Pin, time::Duration};

use serde::{Serialize, de::DeserializeOwned};
use siskin_entities::translation::Languages;
use thiserror::Error;

use crate::{
    Answer, FetchError, HttpClient, Limits, Request, apart,
    header::{ACCEPT, CONTENT_TYPE, HeaderValue},
};

pub use deepl::DeepL;
pub use libretranslate::LibreTranslate;

/// A translation takes seconds on a small machine, and is no longer than a few statuses.
const LIMITS: Limits = Limits { bytes: 1 << 20, time: Duration::from_secs(20), redirects: 0 };

/// What a service is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToTranslate {
    /// HTML, each a text of its own.
    pub texts: Vec<String>,
    /// As in [`Translator::languages`]; None: the service finds out.
    pub source: Option<String>,
    /// As in [`Translator::languages`].
    pub target: String,
}

/// What a service answered. None of it is trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Translated {
    /// HTML, as many and in the order as they were asked for.
    pub texts: Vec<String>,
    /// The language that the first text is in, where the service found out.
    pub detected: Option<String>,
}

/// Why a service translated nothing.
#[derive(Debug, Error)]
pub enum TranslationError {
    /// It was not reached, or its answer was too long or too late.
    #[error("the service that translates did not answer")]
    Fetch(#[from] FetchError),
    /// It was asked too often.
    #[error("the service that translates is asked too often")]
    TooMany,
    /// What was paid for is used up.
    #[error("the quota of the service that translates is used up")]
    Quota,
    /// It answered with this status.
    #[error("the service that translates answered {0}")]
    Refused(u16),
    /// Its answer is none of this protocol, or has another number of texts.
    #[error("the answer of the service that translates makes no sense")]
    Nonsense,
}

/// What comes later.
pub type Translating<'a, T> =
    Pin<Box<dyn Future<Output = Result<T, TranslationError>> + Send + 'a>>;

/// A service that translates. Whoever asks it holds no connection to the database.
pub trait Translator: fmt::Debug + Send + Sync + 'static {
    /// Its name, as readers are told who translated.
    fn provider(&self) -> &str;

    /// Between which languages it translates. Asked now and then, not for every text.
    fn languages(&self) -> Translating<'_, Languages>;

    /// Translates texts, all of them or none.
    fn translate<'a>(&'a self, asked: &'a ToTranslate) -> Translating<'a, Translated>;
}

/// A request with a body of JSON.
fn posting(url: &str, body: &impl Serialize) -> Result<Request, TranslationError> {
    let body = serde_json::to_vec(body).map_err(|_| TranslationError::Nonsense)?;
    let json = HeaderValue::from_static("application/json");
    Ok(Request::post(url, body).with(CONTENT_TYPE, json.clone()).with(ACCEPT, json))
}

/// Asks, and reads what came back as JSON. `quota` is the status by which the service says that
/// what was paid for is used up.
async fn ask<T: DeserializeOwned + Send + 'static>(
    http: &HttpClient,
    request: &Request,
    quota: u16,
) -> Result<T, TranslationError> {
    let Answer { status, body, .. } = http.send(request, LIMITS).await?;
    match status.as_u16() {
        200..=299 => {
            let parsed = apart(move || serde_json::from_slice(&body)).await?;
            parsed.map_err(|_| TranslationError::Nonsense)
        }
        429 => Err(TranslationError::TooMany),
        refused if refused == quota => Err(TranslationError::Quota),
        refused => Err(TranslationError::Refused(refused)),
    }
}

/// A translation is at most this many times as long as its text, in bytes, and this much longer.
const MAX_GROWTH: usize = 8;
const MAX_MARGIN: usize = 4 << 10;

/// Returns the answer if it has as many texts as the request, none of them far longer than asked.
fn counted(
    texts: Vec<String>,
    detected: Option<String>,
    asked: &ToTranslate,
) -> Result<Translated, TranslationError> {
    let fits =
        |(came, sent): (&String, &String)| came.len() <= sent.len() * MAX_GROWTH + MAX_MARGIN;
    if texts.len() != asked.texts.len() || !texts.iter().zip(&asked.texts).all(fits) {
        return Err(TranslationError::Nonsense);
    }
    Ok(Translated { texts, detected: detected.map(|code| code.to_lowercase()) })
}
