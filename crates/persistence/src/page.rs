//! Pagination: cuts any list by a cursor, independent of the row that orders it.

use siskin_entities::{Page, PageRequest};

/// Loads the rows of a page from a query that is not boxed, by the column that orders the list.
/// Rows come in the order that [`page`] expects: ascending if the page starts just above `min`,
/// otherwise newest first. All cursors use one of two statements, which are cached by type.
macro_rules! cut_rows {
    ($conn:expr, $query:expr, $column:expr, $request:expr) => {{
        let request: siskin_entities::PageRequest = $request;
        let siskin_entities::Cursor { max, min, since } = request.cursor;
        let query = $query
            .filter($column.lt(max.unwrap_or(i64::MAX)))
            .filter($column.gt(min.or(since).unwrap_or(i64::MIN)))
            .limit(request.limit);
        match min {
            Some(_) => query.order($column.asc()).load($conn),
            None => query.order($column.desc()).load($conn),
        }
    }};
}
pub(crate) use cut_rows;

/// Builds a page from the rows of [`cut_rows!`]: newest first, with the cursors of both ends.
pub(crate) fn page<T>(rows: Vec<T>, request: PageRequest, cursor: impl Fn(&T) -> i64) -> Page<T> {
    Page::of(newest_first(rows, request), request.limit, cursor)
}

/// Returns the rows of [`cut_rows!`], newest first.
pub(crate) fn newest_first<T>(mut rows: Vec<T>, request: PageRequest) -> Vec<T> {
    if request.cursor.min.is_some() {
        rows.reverse();
    }
    rows
}

#[cfg(test)]
mod tests {
    use diesel::prelude::*;
    use siskin_entities::Cursor;

    use super::*;
    use crate::{Conn, Result, schema::tags};

    /// Opens a database with the tags 1 to 9.
    fn nine_rows() -> Conn {
        let mut conn = Conn::open("sqlite://:memory:").unwrap();
        crate::migrations::run(&mut conn).unwrap();
        for id in 1..=9_i64 {
            diesel::insert_into(tags::table)
                .values((
                    tags::id.eq(id),
                    tags::name.eq(id.to_string()),
                    tags::display_name.eq(""),
                    tags::created_at.eq(0_i64),
                ))
                .execute(&mut conn)
                .unwrap();
        }
        conn
    }

    fn read(conn: &mut Conn, cursor: Cursor, limit: i64) -> Result<Page<i64>> {
        let request = PageRequest { cursor, limit };
        let rows: Vec<i64> = cut_rows!(conn, tags::table.select(tags::id), tags::id, request)?;
        Ok(page(rows, request, |id| *id))
    }

    #[test]
    fn each_cursor_selects_the_documented_rows() {
        let cursor = |max, since, min| Cursor { max, since, min };
        let mut conn = nine_rows();
        for (cursor, rows) in [
            (cursor(None, None, None), [9, 8, 7].as_slice()),
            (cursor(Some(5), None, None), &[4, 3, 2]),
            (cursor(Some(1), None, None), &[]),
            (cursor(None, Some(4), None), &[9, 8, 7]),
            (cursor(None, None, Some(4)), &[7, 6, 5]),
            (cursor(None, Some(7), Some(4)), &[7, 6, 5]),
            (cursor(Some(7), None, Some(4)), &[6, 5]),
            (cursor(Some(4), Some(1), None), &[3, 2]),
            (cursor(None, None, Some(9)), &[]),
        ] {
            let page = read(&mut conn, cursor, 3).unwrap();
            assert_eq!(page.items, rows, "{cursor:?}");
            assert_eq!(page.newest, rows.first().copied());
            assert_eq!(page.oldest, rows.last().copied());
            assert_eq!(page.full, rows.len() == 3);
        }
    }

    #[test]
    fn a_page_with_limit_zero_is_empty_and_the_last() {
        let page = read(&mut nine_rows(), Cursor::default(), 0).unwrap();
        assert_eq!((page.items.len(), page.full), (0, false));
    }
}
