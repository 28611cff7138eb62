//! Links from one page of a list to the next.

use siskin_entities::{Page, PageRequest};

/// Addresses of the neighbouring pages.
#[derive(Debug)]
pub(in crate::routes) struct Neighbours {
    pub(in crate::routes) newer: Option<String>,
    pub(in crate::routes) older: Option<String>,
    /// `true` if the current page is not the first one.
    pub(in crate::routes) paged: bool,
}

impl Neighbours {
    /// Returns the neighbours of `page`, the result of the request `page_request`. `base` is the
    /// address of the first page, perhaps with a query. A page that was reached by `min_id` always
    /// links to older entries.
    pub(in crate::routes) fn of<T>(base: &str, page: &Page<T>, page_request: PageRequest) -> Self {
        let joint = if base.contains('?') { '&' } else { '?' };
        let at = |cursor: &str, id: i64| format!("{base}{joint}{cursor}={id}");
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
