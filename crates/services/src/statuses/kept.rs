//! What somebody bookmarked and favourited.

use siskin_entities::{Page, PageRequest, Status};
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn,
    statuses::{bookmarks as bookmark_rows, favourites as favourite_rows},
};

use super::load_page;
use crate::Result;

/// A page of what an account bookmarked, the latest bookmark first, cut by ids that are not shown.
///
/// # Errors
/// Storage errors only, as with the next.
pub fn bookmarks(conn: &mut Conn, account: AccountId, page: PageRequest) -> Result<Page<Status>> {
    let ids = bookmark_rows::statuses(conn, account, page)?;
    load_page(conn, ids, Some(account))
}

/// A page of what an account favourited, the latest favourite first, cut by ids that are not shown.
pub fn favourites(conn: &mut Conn, account: AccountId, page: PageRequest) -> Result<Page<Status>> {
    let ids = favourite_rows::statuses(conn, account, page)?;
    load_page(conn, ids, Some(account))
}
