//! Favourites. Adding one twice changes nothing, even concurrently.

use diesel::prelude::*;
use siskin_entities::PageRequest;
use siskin_ids::{AccountId, FavouriteId, StatusId};

use super::{
    counters::{self, Reaction},
    saved::SavedStatus,
};
use crate::{
    Conn, Result, Tx,
    conn::each,
    page::{cut_rows, newest_first},
    relationships::ListedAccount,
    schema::favourites,
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

/// Loads accounts that favourited a status, the latest first.
pub fn accounts(
    conn: &mut Conn,
    status: StatusId,
    request: PageRequest,
) -> Result<Vec<ListedAccount>> {
    let query = favourites::table
        .filter(favourites::status_id.eq(status))
        .select((favourites::id, favourites::account_id));
    Ok(newest_first(cut_rows!(conn, query, favourites::id, request)?, request))
}

/// Loads statuses that an account favourited, the latest favourite first.
pub fn statuses(
    conn: &mut Conn,
    account: AccountId,
    request: PageRequest,
) -> Result<Vec<SavedStatus>> {
    let query = favourites::table
        .filter(favourites::account_id.eq(account))
        .select((favourites::id, favourites::status_id));
    Ok(newest_first(cut_rows!(conn, query, favourites::id, request)?, request))
}
