//! Bookmarks: known to their owner alone. A repeat changes nothing, however many come at once.

use diesel::prelude::*;
use siskin_entities::{Page, PageRequest};
use siskin_ids::{AccountId, BookmarkId, StatusId};

use super::kept::kept_page;
use crate::{Conn, Result, Tx, conn::each, schema::bookmarks};

/// Bookmarks a status that the caller [holds](super::hold); false where it was bookmarked already.
pub fn add(tx: &mut Tx<'_>, account: AccountId, status: StatusId) -> Result<bool> {
    let row = (
        bookmarks::id.eq(BookmarkId::new(tx.next_id())),
        bookmarks::account_id.eq(account),
        bookmarks::status_id.eq(status),
        bookmarks::created_at.eq(tx.now().unix_ms()),
    );
    let added = each!(&mut **tx, conn => diesel::insert_into(bookmarks::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok(added == 1)
}

/// Takes a bookmark back; false where there was none.
pub fn remove(tx: &mut Tx<'_>, account: AccountId, status: StatusId) -> Result<bool> {
    let removed = diesel::delete(bookmarks::table)
        .filter(bookmarks::account_id.eq(account))
        .filter(bookmarks::status_id.eq(status))
        .execute(&mut **tx)?;
    Ok(removed == 1)
}

/// A page of what an account bookmarked, the latest bookmark first, cut by the ids of the
/// bookmarks. Left out is what it may not see any more.
pub fn statuses(
    conn: &mut Conn,
    account: AccountId,
    request: PageRequest,
) -> Result<Page<StatusId>> {
    Ok(kept_page!(conn, bookmarks[BookmarkId], account, request))
}
