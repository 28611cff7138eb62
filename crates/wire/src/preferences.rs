//! Preferences of an account for writing and reading.

use serde::Serialize;
use siskin_entities as view;

use crate::account::QUOTE_POLICY;

/// Defaults for new statuses, and display preferences.
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
    /// Display of sensitive media. They are hidden by default.
    #[serde(rename = "reading:expand:media")]
    pub expand_media: &'static str,
    /// Whether content warnings are expanded initially.
    #[serde(rename = "reading:expand:spoilers")]
    pub expand_spoilers: bool,
}

/// Renders the preferences of a user. Display preferences cannot be changed on this server, so
/// these are the defaults of clients.
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
