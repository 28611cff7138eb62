//! Followed hashtags.

use diesel::prelude::*;
use siskin_entities::{Page, PageRequest};
use siskin_ids::{AccountId, TagFollowId, TagId};

use crate::{
    Conn, Result, Tx,
    conn::each,
    page::{cut_rows, page},
    schema::tag_follows,
};

/// Returns `true` if an account follows a hashtag.
pub fn follows(conn: &mut Conn, account: AccountId, tag: TagId) -> Result<bool> {
    let follow = tag_follows::table
        .filter(tag_follows::account_id.eq(account))
        .filter(tag_follows::tag_id.eq(tag));
    Ok(diesel::select(diesel::dsl::exists(follow)).get_result(conn)?)
}

/// Counts the hashtags that an account follows.
pub fn count_followed(conn: &mut Conn, account: AccountId) -> Result<i64> {
    Ok(tag_follows::table.filter(tag_follows::account_id.eq(account)).count().get_result(conn)?)
}

/// Follows a hashtag. Does nothing if the account follows it already.
pub fn follow(tx: &mut Tx<'_>, account: AccountId, tag: TagId) -> Result<()> {
    let row = (
        tag_follows::id.eq(TagFollowId::new(tx.next_id())),
        tag_follows::account_id.eq(account),
        tag_follows::tag_id.eq(tag),
        tag_follows::created_at.eq(tx.now().unix_ms()),
    );
    each!(&mut **tx, conn => diesel::insert_into(tag_follows::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok(())
}

/// Unfollows a hashtag. Does nothing if the account does not follow it.
pub fn unfollow(tx: &mut Tx<'_>, account: AccountId, tag: TagId) -> Result<()> {
    diesel::delete(tag_follows::table)
        .filter(tag_follows::account_id.eq(account))
        .filter(tag_follows::tag_id.eq(tag))
        .execute(&mut **tx)?;
    Ok(())
}

/// Loads a page of the hashtags that an account follows, the latest followed first.
pub fn followed(conn: &mut Conn, account: AccountId, request: PageRequest) -> Result<Page<TagId>> {
    let query = tag_follows::table
        .filter(tag_follows::account_id.eq(account))
        .select((tag_follows::id, tag_follows::tag_id));
    let rows: Vec<(TagFollowId, TagId)> = cut_rows!(conn, query, tag_follows::id, request)?;
    let page = page(rows, request, |(row, _)| row.get());
    let tags = page.items.iter().map(|(_, tag)| *tag).collect();
    Ok(page.with_items(tags))
}
