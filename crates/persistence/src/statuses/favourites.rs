//! Favourites. Adding one twice changes nothing, even concurrently.

use diesel::prelude::*;
use siskin_entities::{Page, PageRequest, Timestamp};
use siskin_ids::{AccountId, FavouriteId, StatusId};

use super::{
    counters::{self, Reaction},
    saved::saved_page,
};
use crate::{
    Conn, Result, Tx,
    conn::each,
    page::{cut_rows, page},
    schema::favourites,
    statuses::{is_visible_to, neither_blocks_nor_mutes, viewer_id},
};

/// Favourites a status that the caller [locked](super::lock_against_deletion), and increments its
/// counter. Returns `false` if the favourite exists.
pub fn add(tx: &mut Tx<'_>, account: AccountId, status: StatusId) -> Result<bool> {
    let row = (
        favourites::id.eq(FavouriteId::new(tx.next_id())),
        favourites::account_id.eq(account),
        favourites::status_id.eq(status),
        favourites::created_at.eq(tx.now().unix_ms()),
    );
    let added = each!(&mut **tx, conn => diesel::insert_into(favourites::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    if added == 1 {
        counters::react(tx, status, Reaction::Favourite, 1)?;
    }
    Ok(added == 1)
}

/// Deletes a favourite and decrements the counter. Returns `false` if there was none.
pub fn remove(tx: &mut Tx<'_>, account: AccountId, status: StatusId) -> Result<bool> {
    let removed = diesel::delete(favourites::table)
        .filter(favourites::account_id.eq(account))
        .filter(favourites::status_id.eq(status))
        .execute(&mut **tx)?;
    if removed == 1 {
        counters::react(tx, status, Reaction::Favourite, -1)?;
    }
    Ok(removed == 1)
}

/// Loads a page of the accounts that favourited a status, the latest first. The cursor is the id of
/// the favourite. Leaves out suspended accounts, accounts that the viewer blocks or mutes, and
/// accounts that block the viewer.
pub fn accounts(
    conn: &mut Conn,
    status: StatusId,
    viewer: Option<AccountId>,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<AccountId>> {
    let viewer_id = viewer_id(viewer);
    let query = favourites::table
        .filter(favourites::status_id.eq(status))
        .filter(is_visible_to!(viewer_id, account: favourites::account_id))
        .filter(neither_blocks_nor_mutes!(viewer_id, now, account: favourites::account_id))
        .select((favourites::id, favourites::account_id));
    let rows: Vec<(FavouriteId, AccountId)> = cut_rows!(conn, query, favourites::id, request)?;
    let page = page(rows, request, |(id, _)| id.get());
    let accounts = page.items.iter().map(|(_, account)| *account).collect();
    Ok(page.with_items(accounts))
}

/// Loads a page of an account's favourited statuses, the latest favourite first. The cursor is the
/// id of the favourite. Leaves out statuses that are not visible to the account any more.
pub fn statuses(
    conn: &mut Conn,
    account: AccountId,
    request: PageRequest,
) -> Result<Page<StatusId>> {
    Ok(saved_page!(conn, favourites[FavouriteId], account, request))
}
