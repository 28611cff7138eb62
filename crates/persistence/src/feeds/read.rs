//! Reads timeline pages from feeds, and continues with a query below the floor.

use siskin_entities::{
    Cursor, Page, PageRequest, Timestamp,
    feed::{Feed, FeedStage},
};

use super::state_and_flags;
use crate::{
    Conn, Result,
    statuses::{Entry, RelationFlags},
    timelines::FeedPage,
};

/// Loads the entries of a feed that are still visible, cut to the page.
///
/// A ready feed contains exactly what its timeline shows: changes that hide something make it
/// stale. The exceptions are checked here. For each entry it checks that the authors are active. It
/// checks the full rule `$condition` for entries that were edited after they were written. It also
/// checks `$condition` for all entries if `$flags` contains a relation that does not make feeds
/// stale.
macro_rules! visible_entries {
    ($conn:expr, $feed:expr, $flags:ident, $request:expr, $condition:expr) => {{
        use diesel::sql_types::Bool;
        use $crate::statuses::{is_active, reblogged};
        let request: siskin_entities::PageRequest = $request;
        let (viewer, inner) = ($feed.account(), reblogged.field(statuses::account_id));
        let author_is_active = statuses::account_id
            .eq(viewer)
            .or(is_active!(at: $flags, account: statuses::account_id));
        let inner_is_active = reblogged
            .field(statuses::id)
            .is_null()
            .or(inner.eq(viewer))
            .or(is_active!(at: $flags, account: inner));
        let is_unchanged = $crate::feeds::all_make_stale($flags)
            .into_sql::<Bool>()
            .and(statuses::edited_at.is_null())
            .and(reblogged.field(statuses::edited_at).is_null())
            .and(author_is_active)
            .and(inner_is_active);
        let query = with_reblogged!()
            .inner_join(feed_entries::table.on(feed_entries::status_id.eq(statuses::id)))
            .filter(feed_entries::feed_id.eq($feed.id()))
            .filter(is_unchanged.or($condition))
            .select((feed_entries::status_id, feed_entries::reblog_of_id));
        let entries: Vec<$crate::statuses::Entry> =
            cut_rows!($conn, query, feed_entries::status_id, request)?;
        page(entries, request, |entry| entry.id.get())
    }};
}

pub(crate) use visible_entries;

/// Loads a page of a timeline. Uses the entries of a ready feed down to its floor, and the query
/// `query_page` for the rest.
pub(crate) fn feed_page(
    conn: &mut Conn,
    feed: Feed,
    now: Timestamp,
    request: PageRequest,
    entries: impl FnOnce(&mut Conn, RelationFlags, PageRequest) -> Result<Page<Entry>>,
    query_page: impl FnOnce(&mut Conn, PageRequest) -> Result<Page<Entry>>,
) -> Result<FeedPage> {
    let Some((state, flags)) = state_and_flags(conn, feed, now)? else {
        return Ok(FeedPage { page: query_page(conn, request)?, feed: None });
    };
    let floor = state.filter(|state| state.stage == FeedStage::Ready).map(|state| state.floor);
    let page = match floor {
        Some(floor) if !begins_below(floor, request.cursor) => {
            let page = entries(conn, flags, request)?;
            match rest(&page, floor, request) {
                Some(rest) => joined(page, query_page(conn, rest)?),
                None => page,
            }
        }
        _ => query_page(conn, request)?,
    };
    Ok(FeedPage { page, feed: state })
}

/// Returns `true` if every relation that can hide statuses from this viewer makes feeds stale.
/// Domain blocks do not.
pub(crate) const fn all_make_stale(flags: RelationFlags) -> bool {
    !flags.domains
}

fn begins_below(floor: i64, cursor: Cursor) -> bool {
    let above_page = cursor.max.is_some_and(|max| max <= floor);
    cursor.min.is_some_and(|min| min < floor.saturating_sub(1)) || above_page
}

/// Returns the request for the part of the page below the feed. Returns `None` if the feed covers
/// the page.
fn rest(page: &Page<Entry>, floor: i64, request: PageRequest) -> Option<PageRequest> {
    let limit = request.limit - i64::try_from(page.items.len()).unwrap_or(i64::MAX);
    let Cursor { since, min, .. } = request.cursor;
    let reaches = floor == 0 || min.is_some() || since.is_some_and(|since| since >= floor);
    let cursor = Cursor { max: Some(floor), since, min: None };
    (limit > 0 && !reaches).then_some(PageRequest { cursor, limit })
}

fn joined(above: Page<Entry>, below: Page<Entry>) -> Page<Entry> {
    Page {
        newest: above.newest.or(below.newest),
        oldest: below.oldest.or(above.oldest),
        full: below.full,
        cursors: above.cursors.into_iter().chain(below.cursors).collect(),
        items: above.items.into_iter().chain(below.items).collect(),
    }
}

#[cfg(test)]
mod tests {
    use siskin_ids::StatusId;

    use super::*;

    fn cursor(max: Option<i64>, since: Option<i64>, min: Option<i64>) -> Cursor {
        Cursor { max, since, min }
    }

    #[test]
    fn a_feed_serves_pages_above_its_floor() {
        for (max, min, below) in [
            (None, None, false),
            (Some(101), None, false),
            (Some(100), None, true),
            (Some(99), None, true),
            (None, Some(99), false),
            (None, Some(98), true),
            (Some(200), Some(150), false),
        ] {
            assert_eq!(begins_below(100, cursor(max, None, min)), below, "{max:?} {min:?}");
            assert!(!begins_below(0, cursor(max, None, min)));
        }
    }

    const fn status(id: i64) -> Entry {
        Entry { id: StatusId::new(id), reblog_of: None }
    }

    #[test]
    fn a_short_page_continues_below_the_floor() {
        let page = Page::of([102, 100].map(status).into(), 4, |entry| entry.id.get());
        let request = |since, min| PageRequest { cursor: cursor(None, since, min), limit: 4 };
        let below = PageRequest { cursor: cursor(Some(100), None, None), limit: 2 };
        assert_eq!(rest(&page, 100, request(None, None)), Some(below));
        assert_eq!(rest(&page, 0, request(None, None)), None);
        assert_eq!(rest(&page, 100, request(None, Some(99))), None);
        assert_eq!(rest(&page, 100, request(Some(100), None)), None);
        assert!(rest(&page, 100, request(Some(99), None)).is_some());
        assert_eq!(rest(&page, 100, PageRequest { limit: 2, ..request(None, None) }), None);
    }
}
