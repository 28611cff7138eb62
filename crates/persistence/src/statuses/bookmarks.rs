//! Bookmarks, which only their owner sees. Adding one twice changes nothing, even concurrently.

use diesel::prelude::*;
use siskin_entities::{Page, PageRequest};
use siskin_ids::{AccountId, BookmarkId, StatusId};

use super::saved::saved_page;
use crate::{Conn, Result, Tx, conn::each, schema::bookmarks};

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

/// Loads a page of an account's bookmarked statuses, the latest bookmark first. The cursor is the
/// id of the bookmark. Leaves out statuses that are not visible to the account any more.
pub fn statuses(
    conn: &mut Conn,
    account: AccountId,
    request: PageRequest,
) -> Result<Page<StatusId>> {
    Ok(saved_page!(conn, bookmarks[BookmarkId], account, request))
}
