//! The lists of an account that its owner can export: blocks, mutes, domain blocks, members of
//! lists, bookmarks and favourites. Each function loads up to `limit` rows after a row, the oldest first. The
//! follows are in `relationships::follows_after`.

use diesel::prelude::*;
use siskin_entities::Timestamp;
use siskin_ids::{AccountId, ListId};

use crate::{
    Conn, Result,
    schema::{
        account_domain_blocks, accounts, blocks, bookmarks, favourites, list_accounts, mutes,
        statuses,
    },
};

/// An account in an exported list.
#[derive(Debug, Clone, PartialEq, Eq, Queryable)]
pub struct ExportedAccount {
    /// Id of the row, which orders the list.
    pub row: i64,
    pub username: String,
    /// `None` for an account of this server.
    pub domain: Option<String>,
}

/// A mute in an exported list.
#[derive(Debug, Clone, PartialEq, Eq, Queryable)]
pub struct ExportedMute {
    /// Id of the row, which orders the list.
    pub row: i64,
    pub username: String,
    /// `None` for an account of this server.
    pub domain: Option<String>,
    pub hides_notifications: bool,
}

/// Loads accounts that `owner` blocks.
pub fn blocks_after(
    conn: &mut Conn,
    owner: AccountId,
    after: i64,
    limit: i64,
) -> Result<Vec<ExportedAccount>> {
    Ok(blocks::table
        .inner_join(accounts::table.on(blocks::target_account_id.eq(accounts::id)))
        .filter(blocks::account_id.eq(owner))
        .filter(blocks::id.gt(after))
        .order(blocks::id)
        .limit(limit)
        .select((blocks::id, accounts::username, accounts::domain))
        .load(conn)?)
}

/// Loads accounts that `owner` mutes at `now`.
pub fn mutes_after(
    conn: &mut Conn,
    owner: AccountId,
    now: Timestamp,
    after: i64,
    limit: i64,
) -> Result<Vec<ExportedMute>> {
    Ok(mutes::table
        .inner_join(accounts::table.on(mutes::target_account_id.eq(accounts::id)))
        .filter(mutes::account_id.eq(owner))
        .filter(mutes::expires_at.is_null().or(mutes::expires_at.gt(now.unix_ms())))
        .filter(mutes::id.gt(after))
        .order(mutes::id)
        .limit(limit)
        .select((mutes::id, accounts::username, accounts::domain, mutes::hide_notifications))
        .load(conn)?)
}

/// Loads domains that `owner` blocks, each after the id of its row.
pub fn domain_blocks_after(
    conn: &mut Conn,
    owner: AccountId,
    after: i64,
    limit: i64,
) -> Result<Vec<(i64, String)>> {
    Ok(account_domain_blocks::table
        .filter(account_domain_blocks::account_id.eq(owner))
        .filter(account_domain_blocks::id.gt(after))
        .order(account_domain_blocks::id)
        .limit(limit)
        .select((account_domain_blocks::id, account_domain_blocks::domain))
        .load(conn)?)
}

/// Loads members of a list.
pub fn members_after(
    conn: &mut Conn,
    list: ListId,
    after: i64,
    limit: i64,
) -> Result<Vec<ExportedAccount>> {
    Ok(list_accounts::table
        .inner_join(accounts::table.on(list_accounts::account_id.eq(accounts::id)))
        .filter(list_accounts::list_id.eq(list))
        .filter(list_accounts::id.gt(after))
        .order(list_accounts::id)
        .limit(limit)
        .select((list_accounts::id, accounts::username, accounts::domain))
        .load(conn)?)
}

/// Loads the URIs of statuses that `owner` bookmarked, each after the id of its row. Includes those
/// that are hidden from the owner by now.
pub fn bookmarks_after(
    conn: &mut Conn,
    owner: AccountId,
    after: i64,
    limit: i64,
) -> Result<Vec<(i64, String)>> {
    Ok(bookmarks::table
        .inner_join(statuses::table)
        .filter(bookmarks::account_id.eq(owner))
        .filter(bookmarks::id.gt(after))
        .order(bookmarks::id)
        .limit(limit)
        .select((bookmarks::id, statuses::uri))
        .load(conn)?)
}

/// Loads the URIs of statuses that `owner` favourited, each after the id of its row. Includes those
/// that are hidden from the owner by now.
pub fn favourites_after(
    conn: &mut Conn,
    owner: AccountId,
    after: i64,
    limit: i64,
) -> Result<Vec<(i64, String)>> {
    Ok(favourites::table
        .inner_join(statuses::table)
        .filter(favourites::account_id.eq(owner))
        .filter(favourites::id.gt(after))
        .order(favourites::id)
        .limit(limit)
        .select((favourites::id, statuses::uri))
        .load(conn)?)
}
