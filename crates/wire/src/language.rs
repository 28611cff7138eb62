//! Languages that a status can be written in.

use serde::Serialize;

/// Language with its code and its English name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Language {
    pub code: &'static str,
    pub name: &'static str,
}

/// Renders languages from codes and names, in their order.
#[must_use]
pub fn render_all(languages: impl Iterator<Item = (&'static str, &'static str)>) -> Vec<Language> {
    languages.map(|(code, name)| Language { code, name }).collect()
}
