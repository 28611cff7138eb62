//! Marks feeds stale after a change of a single status, where database triggers cannot decide this,
//! or would have to read too much.
//!
//! A status in a feed suppresses reblogs of the same status close above it. If the status goes and
//! the reblogs stay, the feed must be rebuilt. The functions look at all possible owners of such
//! feeds, a limited number per call.

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

/// Maximum number of rebloggers for which the follows are checked. With more rebloggers, every
/// candidate counts as their follower.
const FEW_REPEATERS: usize = 100;

/// A deleted reblog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoneReblog {
    pub id: StatusId,
    pub account: AccountId,
    /// The reblogged status.
    pub of: StatusId,
}

/// A status that lost hashtags in an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LostTags<'a> {
    pub status: StatusId,
    pub tags: &'a [TagId],
}

/// A status that lost mentions of these accounts in an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unnamed<'a> {
    pub status: StatusId,
    pub accounts: &'a [AccountId],
}

/// `true` if the current feed contains the status, or is being built and may get it.
macro_rules! may_hold {
    ($status:expr) => {{
        let entry = feed_entries::table
            .filter(feed_entries::feed_id.eq(feeds::feed_id))
            .filter(feed_entries::status_id.eq($status));
        is_receiving!().and(feeds::stage.ne(FeedStage::Ready.number()).or(exists(entry)))
    }};
}

/// `true` if the owner of the current feed is or follows one of these rebloggers, or if there are
/// too many to check.
macro_rules! hears_of {
    ($repeaters:expr) => {{
        let are_many = $repeaters.len() > FEW_REPEATERS;
        let followed = follows::table
            .filter(follows::account_id.eq(feeds::account_id))
            .filter(follows::target_account_id.among($repeaters));
        are_many.into_sql::<Bool>().or(feeds::account_id.among($repeaters)).or(finds!(followed))
    }};
}

/// Returns accounts that reblogged the status after `after`, at most one more than
/// [`FEW_REPEATERS`].
fn repeaters(tx: &mut Tx<'_>, of: StatusId, after: StatusId) -> Result<Vec<AccountId>> {
    Ok(statuses::table
        .filter(statuses::reblog_of_id.eq(of))
        .filter(statuses::id.gt(after))
        .limit(FEW_REPEATERS as i64 + 1)
        .select(statuses::account_id)
        .load(&mut **tx)?)
}

/// Marks feeds stale after a reblog was deleted. It may have suppressed a later reblog of the same
/// status. Looks at up to `limit` followers after `after`; the first call includes the reblogger.
/// Returns the last follow it looked at if there may be more.
///
/// Runs one statement if there is no later reblog, five at most.
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

/// Marks feeds stale after an edit removed hashtags. A feed that got the status through such a
/// hashtag does not show it any more, and it may have suppressed a reblog. Looks at up to `limit`
/// tag followers after `after`. Returns the last tag follow it looked at if there may be more.
///
/// Runs four statements at most.
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

/// Marks feeds stale after an edit removed mentions. Reblogs of the status may have been hidden
/// from accounts that block or mute such an account. Looks at up to `limit` of these accounts after
/// `after`. Returns the last one it looked at if there may be more.
///
/// Runs five statements at most.
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

/// Marks feeds stale after an edit changed the language of a status. Feeds may lack it (or its
/// reblogs) although a follow now includes its language. [Fan-out](deliver) covers everything else
/// that an edit can add.
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

/// Marks these feeds stale. Locks them in the same order as the triggers.
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
