//! List timelines. They work like home, with the members of the list instead of all followed
//! accounts, and with the list's own policy for replies.

use diesel::{prelude::*, sql_types::SmallInt};
use siskin_entities::{List, Page, PageRequest, Timestamp, feed::Feed};
use siskin_ids::AccountId;

use super::{
    FeedPage,
    candidates::{Candidates, SearchRange, merge, search_ranges},
    pages::full_page,
    rules::{in_list, with_reblogged},
};
use crate::{
    Conn, Result,
    feeds::{feed_page, visible_entries},
    page::{cut_rows, page},
    schema::{feed_entries, statuses},
    statuses::{Entry, RelationFlags},
};

/// Loads a page of the timeline of a list of `owner`.
pub fn list(
    conn: &mut Conn,
    owner: AccountId,
    list: &List,
    now: Timestamp,
    request: PageRequest,
) -> Result<FeedPage> {
    let (feed, policy) = (Feed::List(owner, list.id), list.replies_policy.number());
    feed_page(
        conn,
        feed,
        now,
        request,
        |conn, flags, request| {
            let policy = policy.into_sql::<SmallInt>();
            let rules = in_list!(owner, now, at: flags, list: list.id, policy: policy);
            Ok(visible_entries!(conn, feed, flags, request, rules))
        },
        |conn, request| query_page(conn, owner, list, now, request),
    )
}

/// Loads the same page by query, without the feed.
pub(super) fn query_page(
    conn: &mut Conn,
    owner: AccountId,
    list: &List,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<Entry>> {
    let candidates = Candidates::of_list(conn, list.id)?;
    let (flags, policy) = (RelationFlags::of(conn, owner, now)?, list.replies_policy.number());
    full_page(request, &mut |request| {
        let policy = policy.into_sql::<SmallInt>();
        let rules = in_list!(owner, now, at: flags, list: list.id, policy: policy);
        let page: Page<Entry> = search_ranges!(conn, &candidates, request, rules);
        Ok(page.items)
    })
}
