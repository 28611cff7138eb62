//! The home timeline: statuses of followed accounts and hashtags.
//!
//! It is a predicate over the present follows, so a change of follows, mutes or blocks affects past
//! statuses too. The newest part is stored as a feed ([`crate::feeds`]). The part below comes from
//! a query over the statuses, so the timeline has no end.

use diesel::prelude::*;
use siskin_entities::{Page, PageRequest, Timestamp, feed::Feed};
use siskin_ids::AccountId;

use super::{
    FeedPage,
    candidates::{Candidates, SearchRange, merge, search_ranges},
    pages::full_page,
    rules::{in_home, with_reblogged},
};
use crate::{
    Conn, Result,
    feeds::{feed_page, visible_entries},
    page::{cut_rows, page},
    schema::{feed_entries, statuses},
    statuses::{Entry, RelationFlags},
};

/// Loads a page of the home timeline of `viewer`.
pub fn home(
    conn: &mut Conn,
    viewer: AccountId,
    now: Timestamp,
    request: PageRequest,
) -> Result<FeedPage> {
    let feed = Feed::Home(viewer);
    feed_page(
        conn,
        feed,
        now,
        request,
        |conn, flags, request| {
            Ok(visible_entries!(conn, feed, flags, request, in_home!(viewer, now, at: flags)))
        },
        |conn, request| query_page(conn, viewer, now, request),
    )
}

/// Loads the same page by query, without the feed.
pub(super) fn query_page(
    conn: &mut Conn,
    viewer: AccountId,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<Entry>> {
    let candidates = Candidates::of_home(conn, viewer)?;
    let flags = RelationFlags::of(conn, viewer, now)?;
    full_page(request, &mut |request| {
        let page: Page<Entry> =
            search_ranges!(conn, &candidates, request, in_home!(viewer, now, at: flags));
        Ok(page.items)
    })
}
