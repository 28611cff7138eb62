//! Pages of lists, newest first, cut by cursors (`api/README.md`, "Link").

use std::ops::Range;

/// Where a page begins: below `max`, above `since`, or the ones just above `min`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cursor {
    /// Only rows below it.
    pub max: Option<i64>,
    /// Only rows above it, the newest of them.
    pub since: Option<i64>,
    /// Only rows above it, the oldest of them; wins over `since`.
    pub min: Option<i64>,
}

/// What a client asks for: a cursor and how many rows at most (0 gives an empty page).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    pub cursor: Cursor,
    pub limit: i64,
}

impl PageRequest {
    /// The newest `limit` rows.
    #[must_use]
    pub const fn newest(limit: i64) -> Self {
        Self { cursor: Cursor { max: None, since: None, min: None }, limit }
    }
}

/// A page of a list, newest first, with the cursors of its ends. A cursor is the id of the row
/// that orders the list, which need not be the id of the item shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Cursor of the first (newest) row read.
    pub newest: Option<i64>,
    /// Cursor of the last (oldest) row read.
    pub oldest: Option<i64>,
    /// As many rows were read as were asked for, so there may be older ones.
    pub full: bool,
    /// Cursor of each row read, newest first. Items can be fewer: some rows show nothing.
    pub cursors: Vec<i64>,
}

impl<T> Page<T> {
    /// The same page with other items, for the step from rows to views.
    pub fn with_items<U>(self, items: Vec<U>) -> Page<U> {
        let Self { newest, oldest, full, cursors, .. } = self;
        Page { items, newest, oldest, full, cursors }
    }

    /// The same page with `item` of each item.
    pub fn map<U>(self, item: impl FnMut(T) -> U) -> Page<U> {
        let Self { items, newest, oldest, full, cursors } = self;
        Page { items: items.into_iter().map(item).collect(), newest, oldest, full, cursors }
    }

    /// A page of `rows` that are ordered by `cursor`, newest first.
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

    /// The ends of this page if only these of its items are shown, without the items. Pages that
    /// follow it have all the others; where rows show nothing, an item can be in both.
    #[must_use]
    pub fn ends_of(&self, shown: Range<usize>) -> Page<()> {
        let Self { items, newest, oldest, full, cursors } = self;
        let (mut ends, shows) = (Page::ends(*newest, *oldest, *full), !shown.is_empty());
        if shows && shown.end < items.len() {
            ends.full = true;
            ends.oldest = cursors.get(shown.end - 1).copied().or(*oldest);
        }
        if shows && shown.start > 0 {
            let rows_from_end = items.len() - shown.start;
            let first = cursors.len().saturating_sub(rows_from_end);
            ends.newest = cursors.get(first).copied().or(*newest);
        }
        ends
    }
}

impl Page<()> {
    /// What links need of a page.
    const fn ends(newest: Option<i64>, oldest: Option<i64>, full: bool) -> Self {
        Self { items: Vec::new(), newest, oldest, full, cursors: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_which_less_is_shown_ends_with_what_is_shown() {
        let page = Page::of(vec![9, 7, 5, 3], 5, |row| *row);
        let ends = |shown| {
            let ends = page.ends_of(shown);
            (ends.newest, ends.oldest, ends.full)
        };
        assert_eq!(ends(0..4), (Some(9), Some(3), false));
        assert_eq!(ends(0..2), (Some(9), Some(7), true));
        assert_eq!(ends(2..4), (Some(5), Some(3), false));
    }

    #[test]
    fn nothing_is_left_out_where_rows_show_nothing() {
        // Of the rows 9, 7, 5 and 3, two show nothing: those that are left may be any.
        let page = Page::of(vec![9, 7, 5, 3], 5, |row| *row).with_items(vec!["x", "y"]);
        assert_eq!(page.ends_of(0..1).oldest, Some(9));
        assert_eq!(page.ends_of(1..2).newest, Some(3));
    }
}
