//! Lists of an account's bookmarks and favourites.

use siskin_entities::{Page, PageRequest, Status};
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn,
    statuses::{bookmarks as bookmark_rows, favourites as favourite_rows},
};

use super::load_page;
use crate::Result;

/// Loads a page of an account's bookmarked statuses, the latest bookmark first. The cursor consists
/// of internal ids, not of status ids.
///
/// # Errors
/// Storage errors only. The same holds for [`favourites`].
pub fn bookmarks(conn: &mut Conn, account: AccountId, page: PageRequest) -> Result<Page<Status>> {
    let ids = bookmark_rows::statuses(conn, account, page)?;
    load_page(conn, ids, Some(account))
}

/// Loads a page of an account's favourited statuses, the latest favourite first. The cursor
/// consists of internal ids, not of status ids.
pub fn favourites(conn: &mut Conn, account: AccountId, page: PageRequest) -> Result<Page<Status>> {
    let ids = favourite_rows::statuses(conn, account, page)?;
    load_page(conn, ids, Some(account))
}
