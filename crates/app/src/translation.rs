//! Asks the service that translates, if the operator named one.
//!
//! What may be translated and what is kept of an answer is `services::translation`; the service is
//! asked with no connection to the database held. Of several who want the same at the same time
//! one asks, and the others wait for what was kept.

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
    apart,
    translation::{ToTranslate, TranslationError, Translator},
};
use siskin_services::{
    Error, Result,
    translation::{self, Answered, Original},
};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

use crate::App;

/// How long it is believed which languages there are.
const LANGUAGES_KEPT: Duration = Duration::from_secs(6 * 3600);
/// How long a service that did not say is left alone.
const PAUSE: Duration = Duration::from_secs(30);

const OFF: &str = "Translation is not available on this server";
const UNKNOWN_PAIR: &str = "This post cannot be translated into this language";
const NOT_NOW: &str = "The translation service does not answer properly, try again later";
const SPENT: &str = "The translation service is used up for now, try again later";

/// What translates, and what is known of it.
#[derive(Default)]
pub(crate) struct Translating {
    translator: Option<Arc<dyn Translator>>,
    languages: AsyncMutex<Known>,
    /// A turn for each translation that is asked for at the moment.
    turns: Mutex<HashMap<String, Arc<AsyncMutex<()>>>>,
}

/// The languages, with the time until which nobody is asked for them.
#[derive(Default)]
struct Known {
    languages: Option<Arc<Languages>>,
    until: Option<Timestamp>,
}

impl Translating {
    pub(crate) fn by(translator: Option<Arc<dyn Translator>>) -> Self {
        Self { translator, ..Self::default() }
    }

    /// Waits until nobody else asks for the same.
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
    /// Whether the operator named a service that translates.
    #[must_use]
    pub fn translates(&self) -> bool {
        self.inner.translating.translator.is_some()
    }

    /// Between which languages statuses can be translated, as it was at most some hours ago; none
    /// where nothing translates.
    ///
    /// # Errors
    /// [`Error::Elsewhere`] where the service never said and does not say now.
    pub async fn translation_languages(&self) -> Result<Arc<Languages>> {
        let Some(translator) = &self.inner.translating.translator else {
            return Ok(Arc::default());
        };
        let now = self.now();
        let mut known = self.inner.translating.languages.lock().await;
        if known.until.is_none_or(|until| until <= now) {
            match translator.languages().await {
                Ok(languages) => {
                    known.languages = Some(Arc::new(languages));
                    known.until = Some(now.after(LANGUAGES_KEPT));
                }
                Err(error) => {
                    tell(&error);
                    known.until = Some(now.after(PAUSE));
                }
            }
        }
        known.languages.clone().ok_or_else(|| Error::Elsewhere(NOT_NOW.to_owned()))
    }

    /// A status in the language that `target` chooses, given the one in which its reader uses this
    /// server.
    ///
    /// # Errors
    /// As [`translation::find`]; [`Error::Forbidden`] where the service does not translate into
    /// this language; [`Error::Elsewhere`] where there is no service, or it does not do its part.
    pub async fn translate(
        &self,
        viewer: Option<AccountId>,
        id: StatusId,
        target: impl FnOnce(Option<String>) -> String,
    ) -> Result<Translation> {
        let found = self.read(move |conn| translation::find(conn, viewer, id)).await?;
        let Some(translator) = &self.inner.translating.translator else {
            return Err(Error::Elsewhere(OFF.to_owned()));
        };
        let body = found.status.shown();
        let pair = self
            .translation_languages()
            .await?
            .pair(body.language.as_deref(), &target(found.locale))
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
            let nothing = Answered { texts, detected: None };
            return restored(original, &Arc::new(nothing), provider).await?.ok_or_else(nonsense);
        }
        let key = original.key(provider);
        let _turn = self.inner.translating.turn(&key).await;
        let (kept, now) = (key.clone(), self.now());
        let kept = self.read(move |conn| translation::kept(conn, &kept, now)).await?;
        if let Some(kept) = kept
            && let Some(translation) = restored(original, &Arc::new(kept), provider).await?
        {
            return Ok(translation);
        }
        let answered = Arc::new(ask(translator, texts, original.pair()).await?);
        let translation = restored(original, &answered, provider).await?.ok_or_else(nonsense)?;
        // It is paid for: whoever waits has it even where it cannot be kept.
        if let Err(error) = self.write(move |tx| translation::keep(tx, &key, &answered)).await {
            log::warn!("a translation was not kept: {error}");
        }
        Ok(translation)
    }
}

/// Cleans an answer on a blocking thread: its HTML comes from another server.
async fn restored(
    original: &Arc<Original>,
    answered: &Arc<Answered>,
    provider: &str,
) -> Result<Option<Translation>> {
    let (original, answered) = (Arc::clone(original), Arc::clone(answered));
    let provider = provider.to_owned();
    apart(move || original.translated(&answered, &provider)).await.map_err(Error::internal)
}

async fn ask(
    translator: &dyn Translator,
    texts: Vec<String>,
    pair: &LanguagePair,
) -> Result<Answered> {
    let LanguagePair { source, target } = pair.clone();
    let asked = ToTranslate { texts, source, target };
    match translator.translate(&asked).await {
        Ok(came) => Ok(Answered { texts: came.texts, detected: came.detected }),
        Err(error) => {
            tell(&error);
            Err(Error::Elsewhere(match error {
                TranslationError::TooMany | TranslationError::Quota => SPENT.to_owned(),
                _ => NOT_NOW.to_owned(),
            }))
        }
    }
}

/// The answer lacks something that was to stay.
fn nonsense() -> Error {
    tell(&TranslationError::Nonsense);
    Error::Elsewhere(NOT_NOW.to_owned())
}

/// For the operator: readers learn no more than that it did not work.
fn tell(error: &TranslationError) {
    match error {
        TranslationError::Fetch(cause) => log::warn!("{error}: {cause}"),
        _ => log::warn!("{error}"),
    }
}
