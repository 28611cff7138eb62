//! The timelines of lists: as home, with the members of a list in place of all whom its owner
//! follows, and with the list's own policy for replies.

use diesel::{prelude::*, sql_types::SmallInt};
use siskin_entities::{List, Page, PageRequest, Timestamp, feed::Feed};
use siskin_ids::{AccountId, StatusId};

use super::{
    Own,
    candidates::{Candidates, Entry, Place, found_in, merged},
    pages::whole_page,
    shown::{in_list, with_reblogged},
};
use crate::{
    Conn, Result,
    feeds::{kept_entries, kept_page},
    page::{cut, page},
    schema::{feed_entries, statuses},
};

/// A page of what a list of `owner` shows.
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
        |conn, request| {
            let policy = policy.into_sql::<SmallInt>();
            let shown = in_list!(owner, now, list: list.id, policy: policy);
            Ok(kept_entries!(conn, feed, request, shown))
        },
        |conn, request| found(conn, owner, list, now, request),
    )
}

/// The same page, whatever is kept.
pub(super) fn found(
    conn: &mut Conn,
    owner: AccountId,
    list: &List,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<StatusId>> {
    let candidates = Candidates::of_list(conn, list.id)?;
    whole_page(request, &mut |request| {
        Ok(entries(conn, owner, list, &candidates, now, request)?.items)
    })
}

fn entries(
    conn: &mut Conn,
    owner: AccountId,
    list: &List,
    candidates: &Candidates,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<Entry>> {
    let policy = list.replies_policy.number();
    Ok(found_in!(
        conn,
        candidates,
        request,
        in_list!(owner, now, list: list.id, policy: policy.into_sql::<SmallInt>())
    ))
}
