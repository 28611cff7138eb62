//! The thread around a status.

use serde::Serialize;
use siskin_entities::{self as view, Timestamp};

use crate::{
    status::{self, Status},
    urls::Urls,
};

/// What a status answers, the first of the thread first, and what answers it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Context {
    pub ancestors: Vec<Status>,
    pub descendants: Vec<Status>,
}

/// The thread above and below a status, both in reading order, as it is at `now`.
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
