//! Makes feeds stale where something was let in by what became of one status: what triggers of the
//! database cannot tell, or not without reading too much.
//!
//! A status that stands in a feed keeps reblogs of the same close above it out of there. Where it goes
//! and they stay, the feed has to be built anew. Everybody who may have it is looked at, so many at once.

use diesel::{
    dsl::{case_when, exists, not},
    prelude::*,
    sql_query,
    sql_types::{BigInt, Bool, SmallInt, Text},
};
use siskin_entities::feed::FeedStage;
use siskin_ids::{AccountId, FollowId, StatusId, TagFollowId, TagId};

use super::{
    plain::{AVOIDING, Reader},
    receivers::is_receiving,
};
use crate::{
    Result, Tx,
    among::{IdExpression as _, list_of, rows_of_list},
    conn::{OnEngine, each},
    prepared::prepared,
    schema::{feed_entries, feeds, follows, statuses, tag_follows},
    statuses::finds,
    timelines::shown::{at_home, with_reblogged},
};

/// Of so many who reblogged a status it is asked who follows them; where there are more, everybody
/// counts as one who does.
const FEW_REPEATERS: usize = 100;

/// A reblog that is no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoneReblog {
    pub id: StatusId,
    pub account: AccountId,
    /// What it reblogged.
    pub of: StatusId,
}

/// A status that an edit took hashtags from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LostTags<'a> {
    pub status: StatusId,
    pub tags: &'a [TagId],
}

/// A status that an edit has not name these accounts any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unnamed<'a> {
    pub status: StatusId,
    pub accounts: &'a [AccountId],
}

/// True where the feed at hand holds the status, or is being built and may come to hold it.
macro_rules! may_hold {
    ($status:expr) => {{
        let entry = feed_entries::table
            .filter(feed_entries::feed_id.eq(feeds::feed_id))
            .filter(feed_entries::status_id.eq($status));
        is_receiving!().and(feeds::stage.ne(FeedStage::Ready.number()).or(exists(entry)))
    }};
}

/// True where the owner of the feed at hand is or follows one of these repeaters, or there are many.
macro_rules! hears_of {
    ($repeaters:expr) => {{
        let are_many = $repeaters.len() > FEW_REPEATERS;
        let followed = follows::table
            .filter(follows::account_id.eq(feeds::account_id))
            .filter(follows::target_account_id.among($repeaters));
        are_many.into_sql::<Bool>().or(feeds::account_id.among($repeaters)).or(finds!(followed))
    }};
}

/// Who reblogged the status after `after`: one more than a few at most.
fn repeaters(tx: &mut Tx<'_>, of: StatusId, after: StatusId) -> Result<Vec<AccountId>> {
    Ok(statuses::table
        .filter(statuses::reblog_of_id.eq(of))
        .filter(statuses::id.gt(after))
        .limit(FEW_REPEATERS as i64 + 1)
        .select(statuses::account_id)
        .load(&mut **tx)?)
}

/// After a reblog is gone: a later one of the same status may have been left out for its sake. Looks
/// at up to `limit` followers after this follow, and at its account before the first. The last that it
/// looked at, where there may be more.
///
/// One statement where nobody reblogged the status later, five at most.
pub fn outdate_after_reblog(
    tx: &mut Tx<'_>,
    gone: GoneReblog,
    after: Option<FollowId>,
    limit: i64,
) -> Result<Option<FollowId>> {
    let repeaters = repeaters(tx, gone.of, gone.id)?;
    if repeaters.is_empty() {
        return Ok(None);
    }
    let kept =
        feeds::table.filter(feeds::account_id.eq(follows::account_id)).filter(is_receiving!());
    let followers: Vec<(FollowId, AccountId)> = follows::table
        .filter(follows::target_account_id.eq(gone.account))
        .filter(follows::id.gt(after.unwrap_or(FollowId::new(0))))
        .filter(finds!(kept))
        .order(follows::id)
        .limit(limit)
        .select((follows::id, follows::account_id))
        .load(&mut **tx)?;
    let own = after.is_none().then_some(gone.account);
    let readers = followers.iter().map(|(_, follower)| *follower).chain(own);
    let lacking: Vec<i64> = feeds::table
        .filter(feeds::account_id.among(readers))
        .filter(may_hold!(gone.id))
        .filter(hears_of!(&repeaters))
        .select(feeds::feed_id)
        .load(&mut **tx)?;
    outdate(tx, &lacking)?;
    Ok(last_of(&followers, limit))
}

/// After an edit: where a hashtag that is gone brought the status, it does not stand any more, and a
/// reblog of it may have been left out for its sake. Looks at up to `limit` of those who follow the
/// hashtags, after this one. The last that it looked at, where there may be more.
///
/// Four statements at most.
pub fn outdate_after_tags(
    tx: &mut Tx<'_>,
    lost: LostTags<'_>,
    after: Option<TagFollowId>,
    limit: i64,
) -> Result<Option<TagFollowId>> {
    let kept =
        feeds::table.filter(feeds::feed_id.eq(tag_follows::account_id)).filter(is_receiving!());
    let fans: Vec<(TagFollowId, AccountId)> = tag_follows::table
        .filter(tag_follows::tag_id.among(lost.tags))
        .filter(tag_follows::id.gt(after.unwrap_or(TagFollowId::new(0))))
        .filter(finds!(kept))
        .order(tag_follows::id)
        .limit(limit)
        .select((tag_follows::id, tag_follows::account_id))
        .load(&mut **tx)?;
    if fans.is_empty() {
        return Ok(None);
    }
    let now = tx.now();
    let lacking: Vec<i64> = with_reblogged!()
        .inner_join(feeds::table.on(feeds::feed_id.among(fans.iter().map(|(_, fan)| *fan))))
        .filter(statuses::id.eq(lost.status))
        .filter(may_hold!(lost.status))
        .filter(not(at_home!(feeds::account_id, now)))
        .select(feeds::feed_id)
        .load(&mut **tx)?;
    outdate(tx, &lacking)?;
    Ok(last_of(&fans, limit))
}

/// After an edit: reblogs of the status may have been kept from who avoids somebody whom it named and
/// names no more. Looks at up to `limit` of those who do, after this one. The last that it looked at,
/// where there may be more.
///
/// Five statements at most.
pub fn outdate_after_names(
    tx: &mut Tx<'_>,
    unnamed: Unnamed<'_>,
    after: Option<AccountId>,
    limit: i64,
) -> Result<Option<AccountId>> {
    let repeaters = repeaters(tx, unnamed.status, unnamed.status)?;
    if repeaters.is_empty() {
        return Ok(None);
    }
    let avoiding = sql_query(format!(
        "WITH concerned AS ({}) SELECT DISTINCT id FROM ({AVOIDING}) AS avoiding
         WHERE id > $2 ORDER BY id LIMIT $3",
        rows_of_list(tx, "$1")
    ))
    .bind::<Text, _>(list_of(unnamed.accounts))
    .bind::<BigInt, _>(after.unwrap_or(AccountId::new(0)))
    .bind::<BigInt, _>(limit);
    let found: Vec<Reader> = each!(&mut **tx, conn => prepared(avoiding).load(conn))?;
    let avoiding: Vec<(AccountId, AccountId)> =
        found.into_iter().map(|reader| (reader.id, reader.id)).collect();
    let lacking: Vec<i64> = feeds::table
        .filter(feeds::account_id.among(avoiding.iter().map(|(reader, _)| *reader)))
        .filter(is_receiving!())
        .filter(hears_of!(&repeaters))
        .select(feeds::feed_id)
        .load(&mut **tx)?;
    outdate(tx, &lacking)?;
    Ok(last_of(&avoiding, limit))
}

fn last_of<K: Copy>(looked_at: &[(K, AccountId)], limit: i64) -> Option<K> {
    let is_full = i64::try_from(looked_at.len()).is_ok_and(|count| count >= limit);
    looked_at.last().filter(|_| is_full).map(|(last, _)| *last)
}

/// After an edit that changed the language of a status: feeds may be without it (or reblogs of it),
/// although a follow asks for its language now. What else an edit lets in is [delivered](deliver).
pub fn outdate_after_language(tx: &mut Tx<'_>, status: StatusId) -> Result<()> {
    let shared = statuses::id.eq(status).or(statuses::reblog_of_id.eq(status).assume_not_null());
    let by = statuses::table.filter(shared).select(statuses::account_id);
    let choosy: Vec<AccountId> = follows::table
        .filter(follows::target_account_id.eq_any(by))
        .filter(follows::languages.is_not_null())
        .select(follows::account_id)
        .load(&mut **tx)?;
    if choosy.is_empty() {
        return Ok(());
    }
    let kept: Vec<i64> = feeds::table
        .filter(feeds::account_id.among(&choosy))
        .filter(is_receiving!())
        .select(feeds::feed_id)
        .load(&mut **tx)?;
    outdate(tx, &kept)
}

/// Makes these feeds stale, as triggers do it: they are locked in one order.
fn outdate(tx: &mut Tx<'_>, lacking: &[i64]) -> Result<()> {
    if lacking.is_empty() {
        return Ok(());
    }
    let kept = feeds::table
        .filter(feeds::feed_id.among(lacking))
        .filter(is_receiving!())
        .order(feeds::feed_id)
        .select(feeds::feed_id);
    let kept: Vec<i64> = match tx.on_engine() {
        OnEngine::Postgres(pg) => kept.for_no_key_update().load(pg)?,
        OnEngine::Sqlite(sqlite) => kept.load(sqlite)?,
    };
    let outdated = case_when(
        feeds::stage.eq(FeedStage::Regenerating.number()),
        FeedStage::Dropped.number().into_sql::<SmallInt>(),
    )
    .otherwise(FeedStage::Stale.number().into_sql::<SmallInt>());
    diesel::update(feeds::table.filter(feeds::feed_id.among(&kept)))
        .set(feeds::stage.eq(outdated))
        .execute(&mut **tx)?;
    Ok(())
}
