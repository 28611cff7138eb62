//! Cursor pagination of lists, newest first. Responses announce the pages in the `Link` header.

use std::ops::Range;

/// Start of a page: below `max`, above `since`, or directly above `min`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cursor {
    /// Only rows with a smaller id.
    pub max: Option<i64>,
    /// Only rows with a larger id, taking the newest of them.
    pub since: Option<i64>,
    /// Only rows with a larger id, taking the oldest of them. Takes precedence over `since`.
    pub min: Option<i64>,
}

/// Page that a client requests: a cursor and the maximum number of rows (0 gives an empty page).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    /// Start of the page.
    pub cursor: Cursor,
    /// Maximum number of rows; 0 gives an empty page.
    pub limit: i64,
}

impl PageRequest {
    /// Builds a request for the newest `limit` rows.
    #[must_use]
    pub const fn newest(limit: i64) -> Self {
        Self { cursor: Cursor { max: None, since: None, min: None }, limit }
    }
}

/// Page of a list, newest first, with the cursors of both ends. A cursor is the id of the row that
/// orders the list. It can differ from the id of the item in that row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// Items, newest first.
    pub items: Vec<T>,
    /// Cursor of the first (newest) row read.
    pub newest: Option<i64>,
    /// Cursor of the last (oldest) row read.
    pub oldest: Option<i64>,
    /// `true` if the query returned as many rows as requested, so that older rows may exist.
    pub full: bool,
    /// Cursor of each row read, newest first. There can be fewer items than cursors, because some
    /// rows do not produce an item.
    pub cursors: Vec<i64>,
}

impl<T> Page<T> {
    /// Replaces the items and keeps the cursors, for the step from rows to views.
    pub fn with_items<U>(self, items: Vec<U>) -> Page<U> {
        let Self { newest, oldest, full, cursors, .. } = self;
        Page { items, newest, oldest, full, cursors }
    }

    /// Applies `item` to each item and keeps the cursors.
    pub fn map<U>(self, item: impl FnMut(T) -> U) -> Page<U> {
        let Self { items, newest, oldest, full, cursors } = self;
        Page { items: items.into_iter().map(item).collect(), newest, oldest, full, cursors }
    }

    /// Builds a page from `rows` that are sorted by `cursor`, newest first.
    pub fn of(rows: Vec<T>, limit: i64, cursor: impl Fn(&T) -> i64) -> Self {
        let full = limit > 0 && i64::try_from(rows.len()).is_ok_and(|len| len >= limit);
        Self {
            newest: rows.first().map(&cursor),
            oldest: rows.last().map(&cursor),
            full,
            cursors: rows.iter().map(cursor).collect(),
            items: rows,
        }
    }

    /// Returns the ends of this page, without items, if only the items in `visible` are rendered.
    /// The following pages then contain all other items. If some rows have no item, an item can be
    /// on both pages.
    #[must_use]
    pub fn ends_of(&self, visible: Range<usize>) -> Page<()> {
        let Self { items, newest, oldest, full, cursors } = self;
        let (mut ends, shows) = (Page::ends(*newest, *oldest, *full), !visible.is_empty());
        if shows && visible.end < items.len() {
            ends.full = true;
            ends.oldest = cursors.get(visible.end - 1).copied().or(*oldest);
        }
        if shows && visible.start > 0 {
            let rows_from_end = items.len() - visible.start;
            let first = cursors.len().saturating_sub(rows_from_end);
            ends.newest = cursors.get(first).copied().or(*newest);
        }
        ends
    }
}

impl Page<()> {
    /// Builds a page with only the data that the links need.
    const fn ends(newest: Option<i64>, oldest: Option<i64>, full: bool) -> Self {
        Self { items: Vec::new(), newest, oldest, full, cursors: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortened_page_ends_at_its_last_visible_item() {
        let page = Page::of(vec![9, 7, 5, 3], 5, |row| *row);
        let ends = |visible| {
            let ends = page.ends_of(visible);
            (ends.newest, ends.oldest, ends.full)
        };
        assert_eq!(ends(0..4), (Some(9), Some(3), false));
        assert_eq!(ends(0..2), (Some(9), Some(7), true));
        assert_eq!(ends(2..4), (Some(5), Some(3), false));
    }

    #[test]
    fn hidden_rows_never_make_pages_skip_items() {
        // Two of the rows 9, 7, 5 and 3 have no item; any two may be left.
        let page = Page::of(vec![9, 7, 5, 3], 5, |row| *row).with_items(vec!["x", "y"]);
        assert_eq!(page.ends_of(0..1).oldest, Some(9));
        assert_eq!(page.ends_of(1..2).newest, Some(3));
    }
}
