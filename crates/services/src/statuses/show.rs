//! Reads statuses, and the accounts that favourited or reblogged them.

use std::sync::Arc;

use siskin_entities::{Account, Page, PageRequest, Status, Timestamp};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Conn,
    statuses::{self as rows, favourites, reblogs},
};
use siskin_policy::visibility::shows_in_list;

use crate::{Error, Result, accounts::listed::list_accounts, id_list, viewing::Viewing};

/// Returns a status as `viewer` sees it.
///
/// # Errors
/// [`Error::NotFound`] if it does not exist, or is hidden from `viewer`.
pub fn find(conn: &mut Conn, viewer: Option<AccountId>, id: StatusId) -> Result<Status> {
    rows::find_visible(conn, id, viewer)?.ok_or(Error::NotFound)
}

/// Returns the statuses with these ids that are visible to `viewer`, in the order of the ids and
/// without duplicates.
///
/// # Errors
/// [`Error::Invalid`] if there are more ids than fit on a page.
pub fn find_many(
    conn: &mut Conn,
    viewer: Option<AccountId>,
    ids: &[String],
) -> Result<Vec<Status>> {
    let mut ids: Vec<StatusId> = id_list::parse(ids, id_list::MAX_ENTITIES)?;
    let visible = rows::visible_ids(conn, &ids, viewer)?;
    ids.retain(|id| visible.contains(id));
    Ok(rows::load(conn, &ids, viewer)?)
}

/// Loads a page of the accounts that favourited a status, the latest first. The cursor consists of
/// internal ids, not of account ids.
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
    let viewing = Viewing::of(conn, viewer, now)?;
    list_accounts(viewing, shows_in_list, page, |conn, page| {
        favourites::accounts(conn, target.id, page)
    })
}

/// Loads a page of the accounts that reblogged a status, the latest first. The cursor consists of
/// internal ids, not of account ids.
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
    let viewing = Viewing::of(conn, viewer, now)?;
    list_accounts(viewing, shows_in_list, page, |conn, page| {
        reblogs::accounts(conn, target.id, page)
    })
}
