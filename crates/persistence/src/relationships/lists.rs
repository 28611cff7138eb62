//! Who follows an account and whom it follows, the newest follow first.

use std::sync::Arc;

use diesel::{prelude::*, sql_types::Bool};
use siskin_entities::{Account, Page, PageRequest, Timestamp};
use siskin_ids::{AccountId, FollowId};

use crate::{
    Conn, Result,
    accounts::load_in_order,
    page::{cut, page},
    schema::{accounts, follows},
    statuses::{is_shown_to, reader, wants_to_see},
};

/// Which end of the follows is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Those who follow the account.
    Followers,
    /// Those whom the account follows.
    Following,
}

/// Whose list is read, by whom, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listing {
    pub owner: AccountId,
    pub direction: Direction,
    pub viewer: Option<AccountId>,
    pub now: Timestamp,
}

/// The accounts at one end of the follows whose other end is the owner.
macro_rules! rows {
    ($conn:expr, $listing:expr, $request:expr, of: $of:expr, listed: $listed:expr) => {{
        let listing: Listing = $listing;
        let viewer = reader(listing.viewer);
        let own = listing.viewer == Some(listing.owner);
        let wanted = wants_to_see!(viewer, listing.now, account: $listed);
        let query = follows::table
            .filter($of.eq(listing.owner))
            .filter(is_shown_to!(viewer, account: $listed))
            .filter(own.into_sql::<Bool>().or(wanted))
            .select((follows::id, $listed))
            .into_boxed();
        let rows: Vec<(FollowId, AccountId)> = cut!(query, follows::id, $request).load($conn)?;
        rows
    }};
}

/// A page of an account's followers, or of those it follows: without accounts that are suspended
/// or not reachable, without those that block the viewer and, in the lists of others, without those
/// that the viewer blocks or mutes. Cut by the ids of the follows.
pub fn follows_page(
    conn: &mut Conn,
    listing: Listing,
    request: PageRequest,
) -> Result<Page<Arc<Account>>> {
    let rows = match listing.direction {
        Direction::Followers => rows!(
            conn, listing, request,
            of: follows::target_account_id, listed: follows::account_id
        ),
        Direction::Following => rows!(
            conn, listing, request,
            of: follows::account_id, listed: follows::target_account_id
        ),
    };
    let page = page(rows, request, |(follow, _)| follow.get());
    let ids: Vec<AccountId> = page.items.iter().map(|(_, account)| *account).collect();
    Ok(page.with_items(load_in_order(conn, &ids)?))
}

/// A follow with what a list of them says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowRecord {
    pub id: FollowId,
    pub username: String,
    /// None for an account of this server.
    pub domain: Option<String>,
    pub show_reblogs: bool,
    pub notify: bool,
    /// None: all.
    pub languages: Option<Vec<String>>,
}

/// Up to `limit` follows of an account that are newer than `after`, the oldest first.
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
        languages: languages.map(|codes| codes.split(',').map(str::to_owned).collect()),
    };
    Ok(found.into_iter().map(record).collect())
}
