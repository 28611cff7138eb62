//! Fan-out: inserts a status into the feeds that show it.

use diesel::prelude::*;
use siskin_entities::feed::FeedStage;
use siskin_ids::{FollowId, ListId, StatusId, TagFollowId, TagId};

use super::{
    advisory_lock,
    fast_path::FastPath,
    targets::{FanOut, accepts_entries},
};
use crate::{
    Conn, Result, Tx,
    conn::each,
    equals_any::IdExpression as _,
    prepared::prepared_here,
    schema::{feed_entries, feeds, statuses},
    statuses::lock_against_deletion,
};

/// Progress of a fan-out. Popular authors and hashtags need several steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FanOutProgress {
    /// The follow of the last follower. `None` before the first.
    pub follow: Option<FollowId>,
    /// The last list. `None` before the first.
    pub list: Option<ListId>,
    /// The last hashtag and the last follow of it. `None` before the first.
    pub fan: Option<(TagId, TagFollowId)>,
}

/// `true` if the current status (`statuses`) is not a repeated reblog. A reblog is repeated if the
/// 40 entries below it in the feed contain the same status or another reblog of it. The decision is
/// final until that entry disappears (see `mark_stale.rs`).
macro_rules! is_not_repeated {
    (to: $feed:literal) => {
        $crate::fixed::fixed!(
            diesel::sql_types::Bool,
            concat!(
                "statuses.reblog_of_id IS NULL OR NOT EXISTS (SELECT 1 FROM (
                SELECT COALESCE(near.reblog_of_id, near.status_id) AS shown
                FROM feed_entries AS near JOIN statuses AS there ON there.id = near.status_id
                WHERE near.feed_id = ",
                $feed,
                " AND near.status_id < statuses.id ORDER BY near.status_id DESC LIMIT 40
            ) AS below WHERE below.shown = statuses.reblog_of_id)"
            )
        )
    };
}

pub(crate) use is_not_repeated;

/// Inserts a status into the feeds of up to `limit` followers, `limit` lists and `limit` tag
/// followers that come after `after`. The first step includes the feed of the author. Existing
/// entries stay. Returns `None` if the fan-out is complete.
pub fn fan_out(
    tx: &mut Tx<'_>,
    status: StatusId,
    after: FanOutProgress,
    limit: i64,
) -> Result<Option<FanOutProgress>> {
    advisory_lock(tx, "pg_advisory_xact_lock_shared")?;
    // The lock makes sure that a deletion of the status finds all feeds that contain it.
    if after != FanOutProgress::default() && !lock_against_deletion(tx, status)? {
        return Ok(None);
    }
    let fast_path = FastPath::find(tx, status)?;
    let fan_out_step = FanOut { status, now: tx.now(), limit, fast_path };
    let mut targets = Vec::new();
    if after == FanOutProgress::default() {
        targets.extend(fan_out_step.own(tx)?);
    }
    let followers = fan_out_step.followers(tx, after.follow.unwrap_or(FollowId::new(0)))?;
    let lists = fan_out_step.lists(tx, after.list.unwrap_or(ListId::new(0)))?;
    let tag_followers = tag_followers(tx, &fan_out_step, after.fan)?;
    targets.extend(followers.iter().map(|(_, feed)| feed));
    targets.extend(lists.iter().map(|(_, feed)| feed));
    targets.extend(tag_followers.iter().map(|(_, feed)| feed));
    insert(tx, status, &targets)?;
    let progress = FanOutProgress {
        follow: followers.last().map(|(follow, _)| *follow).or(after.follow),
        list: lists.last().map(|(list, _)| *list).or(after.list),
        fan: tag_followers.last().map(|(fan, _)| *fan).or(after.fan),
    };
    let is_full = |count: usize| i64::try_from(count).is_ok_and(|count| count >= limit);
    let is_incomplete =
        is_full(followers.len()) || is_full(lists.len()) || is_full(tag_followers.len());
    Ok(is_incomplete.then_some(progress))
}

/// Finds tag followers, one hashtag at a time. This reads no more rows than it returns, however
/// many accounts follow the hashtags.
fn tag_followers(
    conn: &mut Conn,
    fan_out_step: &FanOut,
    after: Option<(TagId, TagFollowId)>,
) -> Result<Vec<((TagId, TagFollowId), i64)>> {
    let (last_tag, last_fan) = after.unwrap_or((TagId::new(0), TagFollowId::new(0)));
    let mut found = Vec::new();
    for tag in fan_out_step.tags(conn)?.into_iter().filter(|tag| *tag >= last_tag) {
        let begin = if tag == last_tag { last_fan } else { TagFollowId::new(0) };
        let left = fan_out_step.limit - i64::try_from(found.len()).unwrap_or(i64::MAX);
        if left <= 0 {
            break;
        }
        let some = fan_out_step.tag_followers(conn, tag, begin, left)?;
        found.extend(some.into_iter().map(|(fan, feed)| ((tag, fan), feed)));
    }
    Ok(found)
}

fn insert(tx: &mut Tx<'_>, status: StatusId, targets: &[i64]) -> Result<()> {
    if targets.is_empty() {
        return Ok(());
    }
    let entries = feeds::table
        .inner_join(statuses::table.on(statuses::id.eq(status)))
        .filter(feeds::feed_id.equals_any(targets))
        .filter(accepts_entries!())
        .filter(is_not_repeated!(to: "feeds.feed_id"))
        .select((feeds::feed_id, statuses::id, statuses::reblog_of_id));
    let columns = (feed_entries::feed_id, feed_entries::status_id, feed_entries::reblog_of_id);
    each!(&mut **tx, conn => prepared_here!(
        diesel::insert_into(feed_entries::table)
            .values(entries)
            .into_columns(columns)
            .on_conflict_do_nothing(),
    )
    .execute(conn))?;
    Ok(())
}
