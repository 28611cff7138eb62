//! What the reader chose for writing and reading.

use serde::Serialize;
use siskin_entities as view;

use crate::account::QUOTE_POLICY;

/// Defaults for new statuses, and how statuses are opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Preferences {
    #[serde(rename = "posting:default:visibility")]
    pub visibility: &'static str,
    #[serde(rename = "posting:default:sensitive")]
    pub sensitive: bool,
    #[serde(rename = "posting:default:language")]
    pub language: Option<String>,
    #[serde(rename = "posting:default:quote_policy")]
    pub quote_policy: &'static str,
    /// Media marked as sensitive are hidden.
    #[serde(rename = "reading:expand:media")]
    pub expand_media: &'static str,
    /// Content warnings are closed at first.
    #[serde(rename = "reading:expand:spoilers")]
    pub expand_spoilers: bool,
}

/// The preferences of the person whose credentials these are. How statuses are opened is not for
/// people to choose here, so that is what a client does by itself.
#[must_use]
pub fn render(credentials: &view::Credentials) -> Preferences {
    Preferences {
        visibility: credentials.default_privacy.as_str(),
        sensitive: credentials.default_sensitive,
        language: credentials.default_language.clone(),
        quote_policy: QUOTE_POLICY,
        expand_media: "default",
        expand_spoilers: false,
    }
}
