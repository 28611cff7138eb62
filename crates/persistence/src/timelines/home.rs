//! The home timeline: statuses of followed accounts and hashtags.
//!
//! It is a predicate over the present follows, so a change of follows, mutes or blocks affects past
//! statuses too. The newest part is stored as a feed ([`crate::feeds`]). The part below comes from
//! a query over the statuses, so the timeline has no end.

use diesel::prelude::*;
use siskin_entities::{Page, PageRequest, Timestamp, feed::Feed};
use siskin_ids::AccountId;

use super::{
    Own,
    candidates::{Candidates, Place, found_in, merged},
    pages::whole_page,
    shown::{at_home, with_reblogged},
};
use crate::{
    Conn, Result,
    feeds::{kept_entries, kept_page},
    page::{cut_rows, page},
    schema::{feed_entries, statuses},
    statuses::{AtStake, Entry},
};

/// Loads a page of the home timeline of `reader`.
pub fn home(
    conn: &mut Conn,
    reader: AccountId,
    now: Timestamp,
    request: PageRequest,
) -> Result<Own> {
    let feed = Feed::Home(reader);
    kept_page(
        conn,
        feed,
        now,
        request,
        |conn, stakes, request| {
            Ok(kept_entries!(conn, feed, stakes, request, at_home!(reader, now, at: stakes)))
        },
        |conn, request| found(conn, reader, now, request),
    )
}

/// Loads the same page by query, without the feed.
pub(super) fn found(
    conn: &mut Conn,
    reader: AccountId,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<Entry>> {
    let candidates = Candidates::of_home(conn, reader)?;
    let stakes = AtStake::of(conn, reader, now)?;
    whole_page(request, &mut |request| {
        let page: Page<Entry> =
            found_in!(conn, &candidates, request, at_home!(reader, now, at: stakes));
        Ok(page.items)
    })
}
