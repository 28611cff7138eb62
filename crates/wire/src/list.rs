//! Lists of accounts.

use serde::Serialize;
use siskin_entities as view;
use siskin_ids::ListId;

/// List as its owner sees it. Lists are private.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct List {
    pub id: ListId,
    pub title: String,
    pub replies_policy: &'static str,
    pub exclusive: bool,
}

/// Renders a list.
#[must_use]
pub fn render(list: &view::List) -> List {
    List {
        id: list.id,
        title: list.title.clone(),
        replies_policy: list.replies_policy.as_str(),
        exclusive: list.exclusive,
    }
}
