//! Lists of related accounts, such as followers or blocked accounts. The newest row comes first;
//! the cursor is the id of the row. Which of the accounts a viewer sees is not decided here.

use diesel::prelude::*;
use siskin_entities::{PageRequest, Timestamp};
use siskin_ids::{AccountId, FollowId};

use crate::{
    Conn, Result,
    page::{cut_rows, newest_first},
    schema::{accounts, blocks, endorsements, follow_requests, follows, mutes},
};

use super::languages_of_column;

/// Direction of the listed follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Followers of the account.
    Followers,
    /// Accounts that the account follows.
    Following,
}

/// A row of a list of accounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable)]
pub struct ListedAccount {
    /// Id of the row, which orders the list.
    pub row: i64,
    pub account: AccountId,
}

/// Loads the accounts in column `$listed` of the rows with `$owner` in column `$of`.
macro_rules! rows_of {
    ($conn:expr, $request:expr, $table:ident[$of:ident = $owner:expr], $listed:ident) => {{
        let query =
            $table::table.filter($table::$of.eq($owner)).select(($table::id, $table::$listed));
        newest_first(cut_rows!($conn, query, $table::id, $request)?, $request)
    }};
}

/// Loads followers of an account, or accounts that it follows, the newest follow first.
pub fn followed_accounts(
    conn: &mut Conn,
    owner: AccountId,
    direction: Direction,
    request: PageRequest,
) -> Result<Vec<ListedAccount>> {
    Ok(match direction {
        Direction::Followers => {
            rows_of!(conn, request, follows[target_account_id = owner], account_id)
        }
        Direction::Following => {
            rows_of!(conn, request, follows[account_id = owner], target_account_id)
        }
    })
}

/// Loads accounts that an account endorses, the latest endorsement first.
pub fn endorsed_accounts(
    conn: &mut Conn,
    owner: AccountId,
    request: PageRequest,
) -> Result<Vec<ListedAccount>> {
    Ok(rows_of!(conn, request, endorsements[account_id = owner], target_account_id))
}

/// Loads accounts with a pending follow request to `owner`, the latest request first.
pub fn requesting_accounts(
    conn: &mut Conn,
    owner: AccountId,
    request: PageRequest,
) -> Result<Vec<ListedAccount>> {
    Ok(rows_of!(conn, request, follow_requests[target_account_id = owner], account_id))
}

/// Loads accounts that `owner` blocks, the latest block first.
pub fn blocked_accounts(
    conn: &mut Conn,
    owner: AccountId,
    request: PageRequest,
) -> Result<Vec<ListedAccount>> {
    Ok(rows_of!(conn, request, blocks[account_id = owner], target_account_id))
}

/// Loads accounts that `owner` mutes at `now`, the latest mute first.
pub fn muted_accounts(
    conn: &mut Conn,
    owner: AccountId,
    now: Timestamp,
    request: PageRequest,
) -> Result<Vec<ListedAccount>> {
    let query = mutes::table
        .filter(mutes::account_id.eq(owner))
        .filter(mutes::expires_at.is_null().or(mutes::expires_at.gt(now.unix_ms())))
        .select((mutes::id, mutes::target_account_id));
    Ok(newest_first(cut_rows!(conn, query, mutes::id, request)?, request))
}

/// A follow with the data that an export contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowRecord {
    pub id: FollowId,
    pub username: String,
    /// `None` for an account of this server.
    pub domain: Option<String>,
    pub show_reblogs: bool,
    pub notify: bool,
    /// `None` for all languages.
    pub languages: Option<Vec<String>>,
}

/// Loads up to `limit` follows of an account that are newer than `after`, the oldest first.
pub fn follows_after(
    conn: &mut Conn,
    follower: AccountId,
    after: FollowId,
    limit: i64,
) -> Result<Vec<FollowRecord>> {
    type Row = (FollowId, String, Option<String>, bool, bool, Option<String>);
    let found: Vec<Row> = follows::table
        .inner_join(accounts::table.on(follows::target_account_id.eq(accounts::id)))
        .filter(follows::account_id.eq(follower))
        .filter(follows::id.gt(after))
        .order(follows::id)
        .limit(limit)
        .select((
            follows::id,
            accounts::username,
            accounts::domain,
            follows::show_reblogs,
            follows::notify,
            follows::languages,
        ))
        .load(conn)?;
    let record = |(id, username, domain, show_reblogs, notify, languages): Row| FollowRecord {
        id,
        username,
        domain,
        show_reblogs,
        notify,
        languages: languages_of_column(languages),
    };
    Ok(found.into_iter().map(record).collect())
}
