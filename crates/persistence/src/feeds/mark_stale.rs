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
    fast_path::{BLOCKING_OR_MUTING, ViewerRow},
    targets::accepts_entries,
};
use crate::{
    Result, Tx,
    conn::{OnEngine, each},
    equals_any::{IdExpression as _, list_of, rows_of_list},
    prepared::prepared,
    schema::{feed_entries, feeds, follows, statuses, tag_follows},
    statuses::row_exists,
    timelines::rules::{in_home, with_reblogged},
};

/// Maximum number of rebloggers for which the follows are checked. With more rebloggers, every
/// candidate counts as their follower.
const MAX_CHECKED_REBLOGGERS: usize = 100;

/// A deleted reblog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeletedReblog {
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
pub struct LostMentions<'a> {
    pub status: StatusId,
    pub accounts: &'a [AccountId],
}

/// `true` if the current feed contains the status, or is being built and may get it.
macro_rules! may_contain {
    ($status:expr) => {{
        let entry = feed_entries::table
            .filter(feed_entries::feed_id.eq(feeds::feed_id))
            .filter(feed_entries::status_id.eq($status));
        accepts_entries!().and(feeds::stage.ne(FeedStage::Ready.number()).or(exists(entry)))
    }};
}

/// `true` if the owner of the current feed is or follows one of these rebloggers, or if there are
/// too many to check.
macro_rules! follows_any_of {
    ($rebloggers:expr) => {{
        let are_many = $rebloggers.len() > MAX_CHECKED_REBLOGGERS;
        let followed = follows::table
            .filter(follows::account_id.eq(feeds::account_id))
            .filter(follows::target_account_id.equals_any($rebloggers));
        are_many
            .into_sql::<Bool>()
            .or(feeds::account_id.equals_any($rebloggers))
            .or(row_exists!(followed))
    }};
}

/// Returns accounts that reblogged the status after `after`, at most one more than
/// [`MAX_CHECKED_REBLOGGERS`].
fn rebloggers(tx: &mut Tx<'_>, of: StatusId, after: StatusId) -> Result<Vec<AccountId>> {
    Ok(statuses::table
        .filter(statuses::reblog_of_id.eq(of))
        .filter(statuses::id.gt(after))
        .limit(MAX_CHECKED_REBLOGGERS as i64 + 1)
        .select(statuses::account_id)
        .load(&mut **tx)?)
}

/// Marks feeds stale after a reblog was deleted. It may have suppressed a later reblog of the same
/// status. Looks at up to `limit` followers after `after`; the first call includes the reblogger.
/// Returns the last follow it looked at if there may be more.
///
/// Runs one statement if there is no later reblog, five at most.
pub fn mark_stale_after_reblog(
    tx: &mut Tx<'_>,
    deleted: DeletedReblog,
    after: Option<FollowId>,
    limit: i64,
) -> Result<Option<FollowId>> {
    let rebloggers = rebloggers(tx, deleted.of, deleted.id)?;
    if rebloggers.is_empty() {
        return Ok(None);
    }
    let accepting =
        feeds::table.filter(feeds::account_id.eq(follows::account_id)).filter(accepts_entries!());
    let followers: Vec<(FollowId, AccountId)> = follows::table
        .filter(follows::target_account_id.eq(deleted.account))
        .filter(follows::id.gt(after.unwrap_or(FollowId::new(0))))
        .filter(row_exists!(accepting))
        .order(follows::id)
        .limit(limit)
        .select((follows::id, follows::account_id))
        .load(&mut **tx)?;
    let own = after.is_none().then_some(deleted.account);
    let viewers = followers.iter().map(|(_, follower)| *follower).chain(own);
    let affected: Vec<i64> = feeds::table
        .filter(feeds::account_id.equals_any(viewers))
        .filter(may_contain!(deleted.id))
        .filter(follows_any_of!(&rebloggers))
        .select(feeds::feed_id)
        .load(&mut **tx)?;
    mark_stale(tx, &affected)?;
    Ok(last_of(&followers, limit))
}

/// Marks feeds stale after an edit removed hashtags. A feed that got the status through such a
/// hashtag does not show it any more, and it may have suppressed a reblog. Looks at up to `limit`
/// tag followers after `after`. Returns the last tag follow it looked at if there may be more.
///
/// Runs four statements at most.
pub fn mark_stale_after_tags(
    tx: &mut Tx<'_>,
    lost: LostTags<'_>,
    after: Option<TagFollowId>,
    limit: i64,
) -> Result<Option<TagFollowId>> {
    let accepting =
        feeds::table.filter(feeds::feed_id.eq(tag_follows::account_id)).filter(accepts_entries!());
    let tag_followers: Vec<(TagFollowId, AccountId)> = tag_follows::table
        .filter(tag_follows::tag_id.equals_any(lost.tags))
        .filter(tag_follows::id.gt(after.unwrap_or(TagFollowId::new(0))))
        .filter(row_exists!(accepting))
        .order(tag_follows::id)
        .limit(limit)
        .select((tag_follows::id, tag_follows::account_id))
        .load(&mut **tx)?;
    if tag_followers.is_empty() {
        return Ok(None);
    }
    let now = tx.now();
    let affected: Vec<i64> = with_reblogged!()
        .inner_join(feeds::table.on(
            feeds::feed_id.equals_any(tag_followers.iter().map(|(_, tag_follower)| *tag_follower)),
        ))
        .filter(statuses::id.eq(lost.status))
        .filter(may_contain!(lost.status))
        .filter(not(in_home!(feeds::account_id, now)))
        .select(feeds::feed_id)
        .load(&mut **tx)?;
    mark_stale(tx, &affected)?;
    Ok(last_of(&tag_followers, limit))
}

/// Marks feeds stale after an edit removed mentions. Reblogs of the status may have been hidden
/// from accounts that block or mute such an account. Looks at up to `limit` of these accounts after
/// `after`. Returns the last one it looked at if there may be more.
///
/// Runs five statements at most.
pub fn mark_stale_after_mentions(
    tx: &mut Tx<'_>,
    lost_mentions: LostMentions<'_>,
    after: Option<AccountId>,
    limit: i64,
) -> Result<Option<AccountId>> {
    let rebloggers = rebloggers(tx, lost_mentions.status, lost_mentions.status)?;
    if rebloggers.is_empty() {
        return Ok(None);
    }
    let blocking = sql_query(format!(
        "WITH concerned AS ({}) SELECT DISTINCT id FROM ({BLOCKING_OR_MUTING}) AS avoiding
         WHERE id > $2 ORDER BY id LIMIT $3",
        rows_of_list(tx, "$1")
    ))
    .bind::<Text, _>(list_of(lost_mentions.accounts))
    .bind::<BigInt, _>(after.unwrap_or(AccountId::new(0)))
    .bind::<BigInt, _>(limit);
    let found: Vec<ViewerRow> = each!(&mut **tx, conn => prepared(blocking).load(conn))?;
    let blocking: Vec<(AccountId, AccountId)> =
        found.into_iter().map(|viewer| (viewer.id, viewer.id)).collect();
    let affected: Vec<i64> = feeds::table
        .filter(feeds::account_id.equals_any(blocking.iter().map(|(viewer, _)| *viewer)))
        .filter(accepts_entries!())
        .filter(follows_any_of!(&rebloggers))
        .select(feeds::feed_id)
        .load(&mut **tx)?;
    mark_stale(tx, &affected)?;
    Ok(last_of(&blocking, limit))
}

fn last_of<K: Copy>(checked: &[(K, AccountId)], limit: i64) -> Option<K> {
    let is_full = i64::try_from(checked.len()).is_ok_and(|count| count >= limit);
    checked.last().filter(|_| is_full).map(|(last, _)| *last)
}

/// Marks feeds stale after an edit changed the language of a status. Feeds may lack it (or its
/// reblogs) although a follow now includes its language. [Fan-out](super::fan_out()) covers
/// everything else that an edit can add.
pub fn mark_stale_after_language(tx: &mut Tx<'_>, status: StatusId) -> Result<()> {
    let shown_as = statuses::id.eq(status).or(statuses::reblog_of_id.eq(status).assume_not_null());
    let by = statuses::table.filter(shown_as).select(statuses::account_id);
    let filtering_followers: Vec<AccountId> = follows::table
        .filter(follows::target_account_id.eq_any(by))
        .filter(follows::languages.is_not_null())
        .select(follows::account_id)
        .load(&mut **tx)?;
    if filtering_followers.is_empty() {
        return Ok(());
    }
    let accepting: Vec<i64> = feeds::table
        .filter(feeds::account_id.equals_any(&filtering_followers))
        .filter(accepts_entries!())
        .select(feeds::feed_id)
        .load(&mut **tx)?;
    mark_stale(tx, &accepting)
}

/// Marks these feeds stale. Locks them in the same order as the triggers.
fn mark_stale(tx: &mut Tx<'_>, affected: &[i64]) -> Result<()> {
    if affected.is_empty() {
        return Ok(());
    }
    let accepting = feeds::table
        .filter(feeds::feed_id.equals_any(affected))
        .filter(accepts_entries!())
        .order(feeds::feed_id)
        .select(feeds::feed_id);
    let accepting: Vec<i64> = match tx.on_engine() {
        OnEngine::Postgres(pg) => accepting.for_no_key_update().load(pg)?,
        OnEngine::Sqlite(sqlite) => accepting.load(sqlite)?,
    };
    let stale_stage = case_when(
        feeds::stage.eq(FeedStage::Regenerating.number()),
        FeedStage::Dropped.number().into_sql::<SmallInt>(),
    )
    .otherwise(FeedStage::Stale.number().into_sql::<SmallInt>());
    diesel::update(feeds::table.filter(feeds::feed_id.equals_any(&accepting)))
        .set(feeds::stage.eq(stale_stage))
        .execute(&mut **tx)?;
    Ok(())
}
