//! The translation backend.

use std::{fmt, sync::Arc};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use siskin_outbound::{
    HttpClient,
    translation::{DeepL, LibreTranslate, Translator},
};

/// An API key, which logs and messages do not show.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl Secret {
    /// Returns the key itself, for the backend that it belongs to.
    pub(crate) fn into_text(self) -> String {
        self.0
    }

    /// Returns `true` if the key is empty: an empty variable counts as absent.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A translation backend, and how to reach it.
#[derive(Debug, Clone)]
pub enum Translation {
    /// A server with the API of LibreTranslate.
    LibreTranslate { url: String, key: Option<Secret> },
    /// DeepL, at the default address for the kind of key unless a URL is given.
    DeepL { key: Secret, url: Option<String> },
    /// A backend that the embedding program provides.
    Own(Arc<dyn Translator>),
}

impl Translation {
    /// Parses the operator's options. Returns `None` without a backend.
    ///
    /// # Errors
    /// The backend is unknown, or lacks its address or its key.
    pub fn named(
        backend: Option<&str>,
        url: Option<String>,
        key: Option<Secret>,
    ) -> Result<Option<Self>> {
        Ok(match backend {
            None | Some("none") => None,
            Some("libretranslate") => {
                let url = url.context("libretranslate needs --translation-url")?;
                Some(Self::LibreTranslate { url, key })
            }
            Some("deepl") => {
                let key = key.context("deepl needs --translation-api-key")?;
                Some(Self::DeepL { key, url })
            }
            Some(other) => {
                bail!("unknown translation backend {other}: use libretranslate, deepl or none")
            }
        })
    }

    /// Builds the client of the backend, without sending a request.
    pub(crate) fn translator(&self, http: &HttpClient) -> Result<Arc<dyn Translator>> {
        let wrong = "invalid address or key of the translation service";
        Ok(match self {
            Self::LibreTranslate { url, key } => Arc::new(
                LibreTranslate::new(http, url, key.clone().map(Secret::into_text))
                    .context(wrong)?,
            ),
            Self::DeepL { key, url } => {
                Arc::new(DeepL::new(http, &key.0, url.as_deref()).context(wrong)?)
            }
            Self::Own(translator) => Arc::clone(translator),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(backend: &str, url: Option<&str>, key: Option<&str>) -> Result<Option<Translation>> {
        Translation::named(
            Some(backend),
            url.map(str::to_owned),
            key.map(|key| key.to_owned().into()),
        )
    }

    #[test]
    fn a_backend_needs_its_url_or_key() {
        assert!(Translation::named(None, None, None).unwrap().is_none());
        assert!(named("none", Some("http://a.example"), None).unwrap().is_none());
        assert!(named("libretranslate", Some("http://a.example"), None).unwrap().is_some());
        assert!(named("deepl", None, Some("secret")).unwrap().is_some());
        for (backend, url, key) in [
            ("libretranslate", None, Some("secret")),
            ("deepl", Some("http://a.example"), None),
            ("babelfish", Some("http://a.example"), Some("secret")),
        ] {
            let error = named(backend, url, key).unwrap_err();
            assert!(!format!("{error:#}").contains("secret"));
        }
    }

    #[test]
    fn debug_output_hides_keys() {
        for (backend, url) in [("libretranslate", Some("http://a.example")), ("deepl", None)] {
            let translation = named(backend, url, Some("secret")).unwrap();
            assert!(!format!("{translation:?}").contains("secret"));
        }
    }
}
