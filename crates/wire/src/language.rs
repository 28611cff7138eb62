//! The languages that a status can be in.

use serde::Serialize;

/// A language by its code and its English name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Language {
    pub code: &'static str,
    pub name: &'static str,
}

/// The languages of these codes and names, in their order.
#[must_use]
pub fn render_all(languages: impl Iterator<Item = (&'static str, &'static str)>) -> Vec<Language> {
    languages.map(|(code, name)| Language { code, name }).collect()
}
