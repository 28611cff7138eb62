//! Reblogs of a status, found from it; they are written and removed as the statuses they are.

use diesel::prelude::*;
use siskin_entities::{Page, PageRequest, Timestamp, Visibility};
use siskin_ids::{AccountId, StatusId};

use crate::{
    Conn, Result,
    page::{cut, page},
    schema::{accounts, statuses},
    statuses::{may_see, reader, wants_to_see},
};

/// The reblog of a status by this account.
pub fn find(conn: &mut Conn, account: AccountId, of: StatusId) -> Result<Option<StatusId>> {
    Ok(statuses::table
        .filter(statuses::reblog_of_id.eq(of))
        .filter(statuses::account_id.eq(account))
        .select(statuses::id)
        .first(conn)
        .optional()?)
}

/// The reblogs of a status by people of this server, and whose they are: at most `limit`, in the
/// order in which they were made, those after the reblog `after`.
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

/// A page of those who reblogged a status for everybody to see, the latest first, cut by the ids of
/// the reblogs. Left out is whom the viewer blocked or muted.
pub fn accounts(
    conn: &mut Conn,
    status: StatusId,
    viewer: Option<AccountId>,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<AccountId>> {
    let reader = reader(viewer);
    let query = statuses::table
        .filter(statuses::reblog_of_id.eq(status))
        .filter(statuses::visibility.le(Visibility::Unlisted.number()))
        .filter(may_see!(
            reader,
            id: statuses::id,
            account: statuses::account_id,
            visibility: statuses::visibility
        ))
        .filter(wants_to_see!(reader, now, account: statuses::account_id))
        .select((statuses::id, statuses::account_id))
        .into_boxed();
    let rows: Vec<(StatusId, AccountId)> = cut!(query, statuses::id, request).load(conn)?;
    let page = page(rows, request, |(id, _)| id.get());
    let accounts = page.items.iter().map(|(_, account)| *account).collect();
    Ok(page.with_items(accounts))
}
