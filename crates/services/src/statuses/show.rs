//! Reading a status and who reacted to it.

use std::sync::Arc;

use siskin_entities::{Account, Page, PageRequest, Status, Timestamp};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Conn, accounts,
    statuses::{self as rows, favourites, reblogs},
};

use crate::{Error, Result, asked_ids};

/// A status as its reader sees it.
///
/// # Errors
/// [`Error::NotFound`] where it is gone, or not for this reader.
pub fn find(conn: &mut Conn, viewer: Option<AccountId>, id: StatusId) -> Result<Status> {
    rows::find_visible(conn, id, viewer)?.ok_or(Error::NotFound)
}

/// The statuses with these ids, as far as the viewer may see them, in the order of the ids and each
/// once.
///
/// # Errors
/// [`Error::Invalid`] for more ids than anybody shows on a page.
pub fn several(conn: &mut Conn, viewer: Option<AccountId>, ids: &[String]) -> Result<Vec<Status>> {
    let mut ids: Vec<StatusId> = asked_ids::parse(ids, asked_ids::MOST_WHOLE)?;
    let visible = rows::visible_ids(conn, &ids, viewer)?;
    ids.retain(|id| visible.contains(id));
    Ok(rows::load(conn, &ids, viewer)?)
}

/// A page of those who favourited a status, the latest first, cut by ids that are not shown.
///
/// # Errors
/// As [`find`].
pub fn favourited_by(
    conn: &mut Conn,
    viewer: Option<AccountId>,
    id: StatusId,
    now: Timestamp,
    page: PageRequest,
) -> Result<Page<Arc<Account>>> {
    let target = rows::find_target(conn, id, viewer)?.ok_or(Error::NotFound)?;
    let page = favourites::accounts(conn, target.id, viewer, now, page)?;
    load(conn, page)
}

/// A page of those who reblogged a status, the latest first, cut by ids that are not shown.
///
/// # Errors
/// As [`find`].
pub fn reblogged_by(
    conn: &mut Conn,
    viewer: Option<AccountId>,
    id: StatusId,
    now: Timestamp,
    page: PageRequest,
) -> Result<Page<Arc<Account>>> {
    let target = rows::find_target(conn, id, viewer)?.ok_or(Error::NotFound)?;
    let page = reblogs::accounts(conn, target.id, viewer, now, page)?;
    load(conn, page)
}

fn load(conn: &mut Conn, page: Page<AccountId>) -> Result<Page<Arc<Account>>> {
    let accounts = accounts::load_in_order(conn, &page.items)?;
    Ok(page.with_items(accounts))
}
