//! Queries for the reblogs of a status. Inserting and deleting works as for any status.

use diesel::prelude::*;
use siskin_entities::{PageRequest, Visibility};
use siskin_ids::{AccountId, StatusId};

use crate::{
    Conn, Result,
    page::{cut_rows, newest_first},
    relationships::ListedAccount,
    schema::{accounts, statuses},
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

/// Loads accounts with a public or unlisted reblog of a status, the latest first. The row is the
/// reblog.
pub fn accounts(
    conn: &mut Conn,
    status: StatusId,
    request: PageRequest,
) -> Result<Vec<ListedAccount>> {
    let query = statuses::table
        .filter(statuses::reblog_of_id.eq(status))
        .filter(statuses::visibility.le(Visibility::Unlisted.number()))
        .select((statuses::id, statuses::account_id));
    Ok(newest_first(cut_rows!(conn, query, statuses::id, request)?, request))
}
