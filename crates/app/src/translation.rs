//! Translates statuses through the translation service, if the operator configured one.
//!
//! `services::translation` decides what may be translated and what is cached of a response. No
//! database connection is held during a request to the service. If several callers want the same
//! translation, one requests it and the others wait for the cached result.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use siskin_entities::{
    Timestamp, Translation,
    translation::{LanguagePair, Languages},
};
use siskin_ids::{AccountId, StatusId};
use siskin_outbound::{
    parse_blocking,
    translation::{TranslationError, TranslationRequest, Translator},
};
use siskin_services::{
    Error, Result,
    translation::{self, Original, TranslatedTexts},
};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

use crate::App;

/// How long the list of languages is used before it is requested again.
const LANGUAGES_TTL: Duration = Duration::from_secs(6 * 3600);
/// Pause after a failed request for the languages.
const PAUSE: Duration = Duration::from_secs(30);

const NOT_AVAILABLE: &str = "Translation is not available on this server";
const UNKNOWN_PAIR: &str = "This post cannot be translated into this language";
const NOT_NOW: &str = "The translation service does not answer properly, try again later";
const QUOTA_USED_UP: &str = "The translation service is used up for now, try again later";

/// Translation service, with its cached languages.
#[derive(Default)]
pub(crate) struct TranslationService {
    translator: Option<Arc<dyn Translator>>,
    languages: AsyncMutex<CachedLanguages>,
    /// One lock for each translation that is being requested.
    turns: Mutex<HashMap<String, Arc<AsyncMutex<()>>>>,
}

/// Cached languages, with the time of the next request for them.
#[derive(Default)]
struct CachedLanguages {
    languages: Option<Arc<Languages>>,
    until: Option<Timestamp>,
}

impl TranslationService {
    pub(crate) fn by(translator: Option<Arc<dyn Translator>>) -> Self {
        Self { translator, ..Self::default() }
    }

    /// Waits until no other task requests the same translation.
    async fn turn(&self, key: &str) -> OwnedMutexGuard<()> {
        let turn = {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            turns.retain(|_, turn| Arc::strong_count(turn) > 1);
            Arc::clone(turns.entry(key.to_owned()).or_default())
        };
        turn.lock_owned().await
    }
}

impl App {
    /// Returns `true` if the operator configured a translation service.
    #[must_use]
    pub fn translates(&self) -> bool {
        self.inner.translation_service.translator.is_some()
    }

    /// Returns the supported pairs of languages, from a cache that is renewed every few hours.
    /// Keeps the previous list if a request fails. Returns none if there is no translation service.
    ///
    /// # Errors
    /// [`Error::ExternalService`] if the service has never returned its languages and does not do
    /// so now.
    pub async fn translation_languages(&self) -> Result<Arc<Languages>> {
        let Some(translator) = &self.inner.translation_service.translator else {
            return Ok(Arc::default());
        };
        let now = self.now();
        let mut cached = self.inner.translation_service.languages.lock().await;
        if cached.until.is_none_or(|until| until <= now) {
            match translator.languages().await {
                Ok(languages) => {
                    cached.languages = Some(Arc::new(languages));
                    cached.until = Some(now.after(LANGUAGES_TTL));
                }
                Err(error) => {
                    log_failure(&error);
                    cached.until = Some(now.after(PAUSE));
                }
            }
        }
        cached.languages.clone().ok_or_else(|| Error::ExternalService(NOT_NOW.to_owned()))
    }

    /// Translates a status into the language that `target` chooses. `target` receives the viewer's
    /// interface language.
    ///
    /// # Errors
    /// As [`translation::find`]; [`Error::Forbidden`] if the service does not translate into this
    /// language; [`Error::ExternalService`] if there is no service, or if its request fails.
    pub async fn translate(
        &self,
        viewer: Option<AccountId>,
        id: StatusId,
        target: impl FnOnce(Option<String>) -> String,
    ) -> Result<Translation> {
        let found = self.read(move |conn| translation::find(conn, viewer, id)).await?;
        let Some(translator) = &self.inner.translation_service.translator else {
            return Err(Error::ExternalService(NOT_AVAILABLE.to_owned()));
        };
        let body = found.status.displayed();
        let pair = self
            .translation_languages()
            .await?
            .pair(body.source.language.as_deref(), &target(found.locale))
            .ok_or_else(|| Error::forbidden(UNKNOWN_PAIR))?;
        self.by(translator.as_ref(), &Arc::new(Original::new(body, pair))).await
    }

    async fn by(
        &self,
        translator: &dyn Translator,
        original: &Arc<Original>,
    ) -> Result<Translation> {
        let provider = translator.provider();
        let texts = original.texts();
        if texts.is_empty() {
            let nothing = TranslatedTexts { texts, detected: None };
            return restored(original, &Arc::new(nothing), provider)
                .await?
                .ok_or_else(invalid_response);
        }
        let key = original.key(provider);
        let _turn = self.inner.translation_service.turn(&key).await;
        let (lookup, now) = (key.clone(), self.now());
        let cached = self.read(move |conn| translation::cached(conn, &lookup, now)).await?;
        if let Some(cached) = cached
            && let Some(translation) = restored(original, &Arc::new(cached), provider).await?
        {
            return Ok(translation);
        }
        let response = Arc::new(request_translation(translator, texts, original.pair()).await?);
        let translation =
            restored(original, &response, provider).await?.ok_or_else(invalid_response)?;
        // The translation is paid for, so return it even if it cannot be cached.
        if let Err(error) = self.write(move |tx| translation::store(tx, &key, &response)).await {
            log::warn!("cannot store a translation: {error}");
        }
        Ok(translation)
    }
}

/// Sanitises a response on a blocking thread, because its HTML comes from another server.
async fn restored(
    original: &Arc<Original>,
    response: &Arc<TranslatedTexts>,
    provider: &str,
) -> Result<Option<Translation>> {
    let (original, response) = (Arc::clone(original), Arc::clone(response));
    let provider = provider.to_owned();
    parse_blocking(move || original.translated(&response, &provider)).await.map_err(Error::internal)
}

async fn request_translation(
    translator: &dyn Translator,
    texts: Vec<String>,
    pair: &LanguagePair,
) -> Result<TranslatedTexts> {
    let LanguagePair { source, target } = pair.clone();
    let request = TranslationRequest { texts, source, target };
    match translator.translate(&request).await {
        Ok(translated) => {
            Ok(TranslatedTexts { texts: translated.texts, detected: translated.detected })
        }
        Err(error) => {
            log_failure(&error);
            Err(Error::ExternalService(match error {
                TranslationError::TooMany | TranslationError::Quota => QUOTA_USED_UP.to_owned(),
                _ => NOT_NOW.to_owned(),
            }))
        }
    }
}

/// Returns the error for a response that lacks something that had to be preserved.
fn invalid_response() -> Error {
    log_failure(&TranslationError::InvalidResponse);
    Error::ExternalService(NOT_NOW.to_owned())
}

/// Logs the error for the operator. Viewers learn only that the translation failed.
fn log_failure(error: &TranslationError) {
    match error {
        TranslationError::Fetch(cause) => log::warn!("{error}: {cause}"),
        _ => log::warn!("{error}"),
    }
}
