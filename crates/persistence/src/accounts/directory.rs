//! The directory: accounts whose owners want to be found. Each of its orders is one index of
//! `account_stats`, which is walked as far as the page reaches.

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
    accounts::suggestions::may_be_proposed,
    fixed::fixed,
    schema::{account_stats, accounts},
    statuses::reader,
};

use super::load_in_order;

/// Who comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectoryOrder {
    /// Who wrote last.
    Active,
    /// Who came last.
    New,
}

/// A page of the directory as `viewer` sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Directory {
    pub order: DirectoryOrder,
    /// Only accounts of this server.
    pub local: bool,
    pub viewer: Option<AccountId>,
    pub now: Timestamp,
    pub limit: i64,
    pub offset: i64,
}

/// The accounts of a page: without those that the viewer blocks or mutes, and those that block the
/// viewer.
pub fn directory(conn: &mut Conn, asked: &Directory) -> Result<Vec<Arc<Account>>> {
    let viewer = reader(asked.viewer);
    let query = account_stats::table
        .inner_join(accounts::table)
        .filter(accounts::discoverable.eq(true))
        .filter(may_be_proposed!(viewer, asked.now))
        .select(account_stats::account_id)
        .limit(asked.limit)
        .offset(asked.offset)
        .into_boxed();
    // Written out, for an index over some rows is not used where a parameter decides which.
    let query = match asked.local {
        true => query.filter(fixed!(Bool, "account_stats.listed = 2")),
        false => query.filter(fixed!(Bool, "account_stats.listed > 0")),
    };
    let query = match asked.order {
        DirectoryOrder::Active => query.order((
            sql::<BigInt>("COALESCE(account_stats.last_status_at, 0) DESC"),
            account_stats::account_id.desc(),
        )),
        DirectoryOrder::New => query.order(account_stats::account_id.desc()),
    };
    let ids: Vec<AccountId> = query.load(conn)?;
    load_in_order(conn, &ids)
}
