//! Pages of related accounts, such as followers or blocked accounts. The newest row comes first;
//! the cursor is the id of the row.

use std::sync::Arc;

use diesel::{prelude::*, sql_types::Bool};
use siskin_entities::{Account, Page, PageRequest, Timestamp};
use siskin_ids::{AccountId, FollowId, MuteId};

use crate::{
    Conn, Result,
    accounts::{load, load_in_order},
    page::{cut_rows, page},
    schema::{accounts, blocks, endorsements, follow_requests, follows, mutes},
    statuses::{is_active, is_visible_to, neither_blocks_nor_mutes, viewer_id},
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

/// Owner of a list, its viewer, and the present time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listing {
    pub owner: AccountId,
    pub viewer: Option<AccountId>,
    pub now: Timestamp,
}

/// Loads a page of the accounts in column `$listed` of the rows with `$owner` in column `$of`,
/// filtered by `$condition`.
macro_rules! page_of {
    (
        $conn:expr, $request:expr, $table:ident,
        of: $of:expr, $owner:expr, listed: $listed:expr, where: $condition:expr $(,)?
    ) => {{
        let request: PageRequest = $request;
        let query =
            $table::table.filter($of.eq($owner)).filter($condition).select(($table::id, $listed));
        let rows: Vec<(i64, AccountId)> = cut_rows!($conn, query, $table::id, request)?;
        let page = page(rows, request, |(row, _)| *row);
        let ids: Vec<AccountId> = page.items.iter().map(|(_, account)| *account).collect();
        Ok(page.with_items(load_in_order($conn, &ids)?))
    }};
}

/// The accounts that a list shows to its viewer: active, and without a block against the viewer. In
/// lists of other accounts, also neither blocked nor muted by the viewer.
macro_rules! is_listed_for {
    ($listing:expr, account: $listed:expr) => {{
        let listing: Listing = $listing;
        let viewer = viewer_id(listing.viewer);
        let own = listing.viewer == Some(listing.owner);
        let not_hidden = neither_blocks_nor_mutes!(viewer, listing.now, account: $listed);
        is_visible_to!(viewer, account: $listed).and(own.into_sql::<Bool>().or(not_hidden))
    }};
}

/// Loads a page of an account's followers, or of the accounts it follows. Leaves out suspended,
/// unconfirmed and pending accounts, and accounts that block the viewer. In lists of other
/// accounts, also leaves out accounts that the viewer blocks or mutes.
pub fn follows_page(
    conn: &mut Conn,
    listing: Listing,
    direction: Direction,
    request: PageRequest,
) -> Result<Page<Arc<Account>>> {
    let owner = listing.owner;
    match direction {
        Direction::Followers => page_of!(
            conn, request, follows,
            of: follows::target_account_id, owner, listed: follows::account_id,
            where: is_listed_for!(listing, account: follows::account_id),
        ),
        Direction::Following => page_of!(
            conn, request, follows,
            of: follows::account_id, owner, listed: follows::target_account_id,
            where: is_listed_for!(listing, account: follows::target_account_id),
        ),
    }
}

/// Loads a page of the accounts that an account endorses. The rules of [`follows_page`] apply.
pub fn endorsements_page(
    conn: &mut Conn,
    listing: Listing,
    request: PageRequest,
) -> Result<Page<Arc<Account>>> {
    page_of!(
        conn, request, endorsements,
        of: endorsements::account_id, listing.owner, listed: endorsements::target_account_id,
        where: is_listed_for!(listing, account: endorsements::target_account_id),
    )
}

/// Loads a page of the accounts with a pending follow request to `owner`.
pub fn requests_page(
    conn: &mut Conn,
    owner: AccountId,
    request: PageRequest,
) -> Result<Page<Arc<Account>>> {
    page_of!(
        conn, request, follow_requests,
        of: follow_requests::target_account_id, owner, listed: follow_requests::account_id,
        where: is_active!(account: follow_requests::account_id),
    )
}

/// Loads a page of the accounts that `owner` blocks.
pub fn blocks_page(
    conn: &mut Conn,
    owner: AccountId,
    request: PageRequest,
) -> Result<Page<Arc<Account>>> {
    page_of!(
        conn, request, blocks,
        of: blocks::account_id, owner, listed: blocks::target_account_id,
        where: is_active!(account: blocks::target_account_id),
    )
}

/// Loads a page of the accounts that `owner` mutes at `now`, each with the end of the mute.
pub fn mutes_page(
    conn: &mut Conn,
    owner: AccountId,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<(Arc<Account>, Option<Timestamp>)>> {
    let query = mutes::table
        .filter(mutes::account_id.eq(owner))
        .filter(mutes::expires_at.is_null().or(mutes::expires_at.gt(now.unix_ms())))
        .filter(is_active!(account: mutes::target_account_id))
        .select((mutes::id, mutes::target_account_id, mutes::expires_at));
    let rows: Vec<(MuteId, AccountId, Option<i64>)> = cut_rows!(conn, query, mutes::id, request)?;
    let page = page(rows, request, |(id, ..)| id.get());
    let ids: Vec<AccountId> = page.items.iter().map(|(_, account, _)| *account).collect();
    let accounts = load(conn, &ids)?;
    let muted = page.items.iter().filter_map(|(_, account, until)| {
        Some((accounts.get(account)?.clone(), until.map(Timestamp::from_unix_ms)))
    });
    let muted = muted.collect();
    Ok(page.with_items(muted))
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
