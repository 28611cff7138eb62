//! Bookmarks, which only their owner sees. Adding one twice changes nothing, even concurrently.

use diesel::prelude::*;
use siskin_entities::PageRequest;
use siskin_ids::{AccountId, BookmarkId, StatusId};

use super::saved::SavedStatus;
use crate::{
    Conn, Result, Tx,
    conn::each,
    page::{cut_rows, newest_first},
    schema::bookmarks,
};

/// Bookmarks a status that the caller [locked](super::lock_against_deletion). Returns `false` if
/// the bookmark exists.
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

/// Deletes a bookmark. Returns `false` if there was none.
pub fn remove(tx: &mut Tx<'_>, account: AccountId, status: StatusId) -> Result<bool> {
    let removed = diesel::delete(bookmarks::table)
        .filter(bookmarks::account_id.eq(account))
        .filter(bookmarks::status_id.eq(status))
        .execute(&mut **tx)?;
    Ok(removed == 1)
}

/// Loads statuses that an account bookmarked, the latest bookmark first.
pub fn statuses(
    conn: &mut Conn,
    account: AccountId,
    request: PageRequest,
) -> Result<Vec<SavedStatus>> {
    let query = bookmarks::table
        .filter(bookmarks::account_id.eq(account))
        .select((bookmarks::id, bookmarks::status_id));
    Ok(newest_first(cut_rows!(conn, query, bookmarks::id, request)?, request))
}
