//! List timelines. They work like home, with the members of the list instead of all followed
//! accounts, and with the list's own policy for replies.

use diesel::{prelude::*, sql_types::SmallInt};
use siskin_entities::{List, Page, PageRequest, Timestamp, feed::Feed};
use siskin_ids::AccountId;

use super::{
    Own,
    candidates::{Candidates, Place, found_in, merged},
    pages::whole_page,
    shown::{in_list, with_reblogged},
};
use crate::{
    Conn, Result,
    feeds::{kept_entries, kept_page},
    page::{cut_rows, page},
    schema::{feed_entries, statuses},
    statuses::{AtStake, Entry},
};

/// Loads a page of the timeline of a list of `owner`.
pub fn list(
    conn: &mut Conn,
    owner: AccountId,
    list: &List,
    now: Timestamp,
    request: PageRequest,
) -> Result<Own> {
    let (feed, policy) = (Feed::List(owner, list.id), list.replies_policy.number());
    kept_page(
        conn,
        feed,
        now,
        request,
        |conn, stakes, request| {
            let policy = policy.into_sql::<SmallInt>();
            let shown = in_list!(owner, now, at: stakes, list: list.id, policy: policy);
            Ok(kept_entries!(conn, feed, stakes, request, shown))
        },
        |conn, request| found(conn, owner, list, now, request),
    )
}

/// Loads the same page by query, without the feed.
pub(super) fn found(
    conn: &mut Conn,
    owner: AccountId,
    list: &List,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<Entry>> {
    let candidates = Candidates::of_list(conn, list.id)?;
    let (stakes, policy) = (AtStake::of(conn, owner, now)?, list.replies_policy.number());
    whole_page(request, &mut |request| {
        let policy = policy.into_sql::<SmallInt>();
        let shown = in_list!(owner, now, at: stakes, list: list.id, policy: policy);
        let page: Page<Entry> = found_in!(conn, &candidates, request, shown);
        Ok(page.items)
    })
}
