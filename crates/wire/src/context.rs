//! Thread of a status.

use serde::{Deserialize, Serialize};
use siskin_entities::{self as view, Timestamp};

use crate::{
    status::{self, Status},
    urls::Urls,
};

/// Ancestors of a status, root first, and its descendants.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct Context {
    /// Parent, its parent and so on, the root first.
    pub ancestors: Vec<Status>,
    /// Direct and indirect replies, in reading order.
    pub descendants: Vec<Status>,
}

/// Renders the ancestors and descendants of a status, both in reading order, at `now`.
#[must_use]
pub fn render(
    ancestors: &[view::Status],
    descendants: &[view::Status],
    urls: &Urls,
    now: Timestamp,
) -> Context {
    Context {
        ancestors: status::render_all(ancestors, urls, now),
        descendants: status::render_all(descendants, urls, now),
    }
}
