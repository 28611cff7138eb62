//! Queries for the reblogs of a status. Inserting and deleting works as for any status.

use diesel::prelude::*;
use siskin_entities::{Page, PageRequest, Timestamp, Visibility};
use siskin_ids::{AccountId, StatusId};

use crate::{
    Conn, Result,
    page::{cut_rows, page},
    schema::{accounts, statuses},
    statuses::{may_see, neither_blocks_nor_mutes, viewer_id},
};

/// Returns the id of this account's reblog of a status.
pub fn find(conn: &mut Conn, account: AccountId, of: StatusId) -> Result<Option<StatusId>> {
    Ok(statuses::table
        .filter(statuses::reblog_of_id.eq(of))
        .filter(statuses::account_id.eq(account))
        .select(statuses::id)
        .first(conn)
        .optional()?)
}

/// Returns the reblogs of a status by local accounts, with the rebloggers: at most `limit`, in
/// order of creation, after the reblog `after`.
pub fn local(
    conn: &mut Conn,
    of: StatusId,
    after: Option<StatusId>,
    limit: i64,
) -> Result<Vec<(StatusId, AccountId)>> {
    Ok(statuses::table
        .inner_join(accounts::table)
        .filter(statuses::reblog_of_id.eq(of))
        .filter(accounts::domain.is_null())
        .filter(statuses::id.gt(after.unwrap_or(StatusId::new(0))))
        .order(statuses::id)
        .limit(limit)
        .select((statuses::id, statuses::account_id))
        .load(conn)?)
}

/// Loads a page of the accounts with a public or unlisted reblog of a status, the latest first. The
/// cursor is the id of the reblog. Leaves out accounts that the viewer blocks or mutes.
pub fn accounts(
    conn: &mut Conn,
    status: StatusId,
    viewer: Option<AccountId>,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<AccountId>> {
    let viewer_id = viewer_id(viewer);
    let query = statuses::table
        .filter(statuses::reblog_of_id.eq(status))
        .filter(statuses::visibility.le(Visibility::Unlisted.number()))
        .filter(may_see!(
            viewer_id,
            id: statuses::id,
            account: statuses::account_id,
            visibility: statuses::visibility
        ))
        .filter(neither_blocks_nor_mutes!(viewer_id, now, account: statuses::account_id))
        .select((statuses::id, statuses::account_id));
    let rows: Vec<(StatusId, AccountId)> = cut_rows!(conn, query, statuses::id, request)?;
    let page = page(rows, request, |(id, _)| id.get());
    let accounts = page.items.iter().map(|(_, account)| *account).collect();
    Ok(page.with_items(accounts))
}
