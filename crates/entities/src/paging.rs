//! Pages of lists, newest first, cut by cursors (`api/README.md`, "Link").

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
}

impl<T> Page<T> {
    /// The same page with other items, for the step from rows to views.
    pub fn with_items<U>(self, items: Vec<U>) -> Page<U> {
        Page { items, newest: self.newest, oldest: self.oldest, full: self.full }
    }

    /// The same page with `item` of each item.
    pub fn map<U>(self, item: impl FnMut(T) -> U) -> Page<U> {
        let Self { items, newest, oldest, full } = self;
        Page { items: items.into_iter().map(item).collect(), newest, oldest, full }
    }

    /// A page of `rows` that are ordered by `cursor`, newest first.
    pub fn of(rows: Vec<T>, limit: i64, cursor: impl Fn(&T) -> i64) -> Self {
        let full = limit > 0 && i64::try_from(rows.len()).is_ok_and(|len| len >= limit);
        Self {
            newest: rows.first().map(&cursor),
            oldest: rows.last().map(&cursor),
            full,
            items: rows,
        }
    }
}
