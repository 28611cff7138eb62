//! The ways from one page of statuses to the next.

use siskin_entities::{Page, PageRequest, Status};

/// Addresses of the neighbouring pages.
#[derive(Debug)]
pub(super) struct Neighbours {
    pub(super) newer: Option<String>,
    pub(super) older: Option<String>,
    /// Whether the page at hand is one further down.
    pub(super) paged: bool,
}

impl Neighbours {
    /// Those of `page`, which `asked` was answered by; `base` is the address of the first one.
    /// From a page reached from below there is always a way back down.
    pub(super) fn of(base: &str, page: &Page<Status>, asked: PageRequest) -> Self {
        let at = |cursor: &str, id: i64| format!("{base}?{cursor}={id}");
        let paged = asked.cursor.max.or(asked.cursor.min).or(asked.cursor.since).is_some();
        let newer = match page.newest {
            Some(newest) if paged => Some(at("min_id", newest)),
            None if paged => Some(base.to_owned()),
            _ => None,
        };
        let more = page.full || asked.cursor.min.is_some();
        let older = page.oldest.filter(|_| more).map(|oldest| at("max_id", oldest));
        Self { newer, older, paged }
    }
}
