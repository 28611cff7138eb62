//! Whom to follow, and why.

use serde::Serialize;
use siskin_entities as view;

use crate::{
    account::{self, Account},
    urls::Urls,
};

/// A suggested account.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Suggestion {
    /// The weightiest source in the words of older clients.
    pub source: &'static str,
    pub sources: Vec<&'static str>,
    pub account: Account,
}

/// A suggestion as clients read it.
#[must_use]
pub fn render(suggestion: &view::Suggestion, urls: &Urls) -> Suggestion {
    let (source, _) = suggestion.sources.first().map_or(("global", ""), |first| names(*first));
    Suggestion {
        source,
        sources: suggestion.sources.iter().map(|source| names(*source).1).collect(),
        account: account::render(&suggestion.account, urls),
    }
}

/// A source as `source` and as `sources` name it.
const fn names(source: view::SuggestionSource) -> (&'static str, &'static str) {
    match source {
        view::SuggestionSource::Featured => ("staff", "featured"),
        view::SuggestionSource::FriendsOfFriends => ("past_interactions", "friends_of_friends"),
    }
}
