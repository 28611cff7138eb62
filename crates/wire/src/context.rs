//! Thread of a status.

use serde::Serialize;
use siskin_entities::{self as view, Timestamp};

use crate::{
    status::{self, Status},
    urls::Urls,
};

/// Ancestors of a status, root first, and its descendants.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Context {
    pub ancestors: Vec<Status>,
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
