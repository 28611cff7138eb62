//! Preferences of an account for writing and reading.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use siskin_entities as view;

/// Defaults for new statuses, and display preferences.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Preferences {
    /// Visibility: a name of [`view::Visibility`].
    #[serde(rename = "posting:default:visibility")]
    pub visibility: Cow<'static, str>,
    /// Whether new statuses are marked as sensitive.
    #[serde(rename = "posting:default:sensitive")]
    pub sensitive: bool,
    /// ISO 639-1 code; null if the language is detected.
    #[serde(rename = "posting:default:language")]
    pub language: Option<String>,
    /// Accounts that may quote: a name of [`view::QuotePolicy`].
    #[serde(rename = "posting:default:quote_policy")]
    #[serde(default)]
    pub quote_policy: Cow<'static, str>,
    /// Display of sensitive media. They are hidden by default.
    #[serde(rename = "reading:expand:media")]
    pub expand_media: Cow<'static, str>,
    /// Whether content warnings are expanded initially.
    #[serde(rename = "reading:expand:spoilers")]
    pub expand_spoilers: bool,
}

/// Renders the preferences of a user. Display preferences cannot be changed on this server, so
/// these are the defaults of clients.
#[must_use]
pub fn render(credentials: &view::Credentials) -> Preferences {
    Preferences {
        visibility: credentials.default_privacy.as_str().into(),
        sensitive: credentials.default_sensitive,
        language: credentials.default_language.clone(),
        quote_policy: credentials.default_quote_policy.as_str().into(),
        expand_media: "default".into(),
        expand_spoilers: false,
    }
}
