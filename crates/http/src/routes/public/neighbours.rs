//! Links from one page of statuses to the next.

use siskin_entities::{Page, PageRequest, Status};

/// Addresses of the neighbouring pages.
#[derive(Debug)]
pub(super) struct Neighbours {
    pub(super) newer: Option<String>,
    pub(super) older: Option<String>,
    /// `true` if the current page is not the first one.
    pub(super) paged: bool,
}

impl Neighbours {
    /// Returns the neighbours of `page`, the result of the request `page_request`. `base` is the
    /// address of the first page. A page that was reached by `min_id` always links to older
    /// statuses.
    pub(super) fn of(base: &str, page: &Page<Status>, page_request: PageRequest) -> Self {
        let at = |cursor: &str, id: i64| format!("{base}?{cursor}={id}");
        let paged = page_request
            .cursor
            .max
            .or(page_request.cursor.min)
            .or(page_request.cursor.since)
            .is_some();
        let newer = match page.newest {
            Some(newest) if paged => Some(at("min_id", newest)),
            None if paged => Some(base.to_owned()),
            _ => None,
        };
        let more = page.full || page_request.cursor.min.is_some();
        let older = page.oldest.filter(|_| more).map(|oldest| at("max_id", oldest));
        Self { newer, older, paged }
    }
}
