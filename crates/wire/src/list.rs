//! Lists of accounts.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use siskin_entities as view;
use siskin_ids::ListId;

/// List as its owner sees it. Lists are private.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct List {
    /// Id of the list.
    pub id: ListId,
    /// Title that the owner chose.
    pub title: String,
    /// Which replies its timeline shows: a name of [`view::RepliesPolicy`].
    #[serde(default)]
    pub replies_policy: Cow<'static, str>,
    /// Whether the home timeline omits statuses of the members.
    #[serde(default)]
    pub exclusive: bool,
}

/// Renders a list.
#[must_use]
pub fn render(list: &view::List) -> List {
    List {
        id: list.id,
        title: list.title.clone(),
        replies_policy: list.replies_policy.as_str().into(),
        exclusive: list.exclusive,
    }
}
