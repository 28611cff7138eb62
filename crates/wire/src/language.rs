//! Languages that a status can be written in.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Language with its code and its English name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Language {
    /// ISO 639-1 code if there is one, else ISO 639-3, or a regional code of Chinese.
    pub code: Cow<'static, str>,
    /// English name.
    pub name: Cow<'static, str>,
}

/// Renders languages from codes and names, in their order.
#[must_use]
pub fn render_all(languages: impl Iterator<Item = (&'static str, &'static str)>) -> Vec<Language> {
    languages.map(|(code, name)| Language { code: code.into(), name: name.into() }).collect()
}
