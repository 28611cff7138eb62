//! Account suggestions and their reasons.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use siskin_entities as view;

use crate::{
    account::{self, Account},
    urls::Urls,
};

/// Suggested account.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct Suggestion {
    /// Most important source, by the name that older clients know.
    pub source: Cow<'static, str>,
    /// All sources, the most important first, such as `friends_of_friends`.
    #[serde(default)]
    pub sources: Vec<Cow<'static, str>>,
    /// The suggested account.
    pub account: Account,
}

/// Renders a suggestion.
#[must_use]
pub fn render(suggestion: &view::Suggestion, urls: &Urls) -> Suggestion {
    let (source, _) = suggestion.sources.first().map_or(("global", ""), |first| names(*first));
    Suggestion {
        source: source.into(),
        sources: suggestion.sources.iter().map(|source| names(*source).1.into()).collect(),
        account: account::render(&suggestion.account, urls),
    }
}

/// Returns the name of a source in `source` and in `sources`.
const fn names(source: view::SuggestionSource) -> (&'static str, &'static str) {
    match source {
        view::SuggestionSource::Featured => ("staff", "featured"),
        view::SuggestionSource::FriendsOfFriends => ("past_interactions", "friends_of_friends"),
    }
}
