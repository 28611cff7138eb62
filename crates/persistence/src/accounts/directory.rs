//! The profile directory: accounts that opted in to be found. Each sort order is one index of
//! `account_stats`, which a query scans only as far as the page reaches.

use std::sync::Arc;

use diesel::{
    dsl::{not, sql},
    prelude::*,
    sql_types::{BigInt, Bool},
};
use siskin_entities::{Account, Timestamp};
use siskin_ids::AccountId;

use crate::{
    Conn, Result,
    accounts::suggestions::is_suggestible,
    fixed::fixed,
    schema::{account_stats, accounts},
    statuses::viewer_id,
};

use super::load_in_order;

/// Sort order of the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectoryOrder {
    /// Most recent status first.
    Active,
    /// Newest account first.
    New,
}

/// Parameters of one directory page for `viewer`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Directory {
    pub order: DirectoryOrder,
    /// If `true`, the page contains only accounts of this server.
    pub local: bool,
    pub viewer: Option<AccountId>,
    pub now: Timestamp,
    pub limit: i64,
    pub offset: i64,
}

/// Loads one directory page. Leaves out accounts that the viewer blocks or mutes, and accounts that
/// block the viewer.
pub fn directory(conn: &mut Conn, params: &Directory) -> Result<Vec<Arc<Account>>> {
    let viewer = viewer_id(params.viewer);
    let query = account_stats::table
        .inner_join(accounts::table)
        .filter(accounts::discoverable.eq(true))
        .filter(is_suggestible!(viewer, params.now))
        .select(account_stats::account_id)
        .limit(params.limit)
        .offset(params.offset)
        .into_boxed();
    // The conditions are constants: the engines use a partial index only if its condition holds
    // without knowing a parameter.
    let query = match params.local {
        true => query.filter(fixed!(Bool, "account_stats.listed = 2")),
        false => query.filter(fixed!(Bool, "account_stats.listed > 0")),
    };
    let query = match params.order {
        DirectoryOrder::Active => query.order((
            sql::<BigInt>("COALESCE(account_stats.last_status_at, 0) DESC"),
            account_stats::account_id.desc(),
        )),
        DirectoryOrder::New => query.order(account_stats::account_id.desc()),
    };
    let ids: Vec<AccountId> = query.load(conn)?;
    load_in_order(conn, &ids)
}
