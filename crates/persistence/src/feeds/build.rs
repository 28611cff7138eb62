//! Rebuilds a feed from the result of its timeline query.

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text},
};
use siskin_entities::{
    Page, PageRequest, Timestamp,
    feed::{Feed, FeedStage},
};
use siskin_ids::StatusId;

use super::{LENGTH, first_end};
use crate::{
    Conn, Result, Tx,
    conn::each,
    equals_any::{IdExpression as _, list_of, rows_of_list},
    prepared::prepared,
    schema::{feed_entries, feeds},
    statuses::Entry,
    timelines::{self, unrepeated},
};

/// Result of a timeline query in one database snapshot: the future entries of a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// Status ids, newest first.
    entries: Vec<StatusId>,
    floor: i64,
    /// End of the first mute to expire. That mute may have hidden a status.
    valid_until: Option<i64>,
    /// Value of `feeds.round` at the time of the query. It identifies the rebuild.
    round: i64,
}

/// Queries the entries of `feed`. Returns `None` if the feed or its list is gone.
pub fn build(conn: &mut Conn, feed: Feed, now: Timestamp) -> Result<Option<Built>> {
    let round: Option<i64> =
        feeds::table.find(feed.id()).select(feeds::round).first(conn).optional()?;
    let Some(round) = round else { return Ok(None) };
    let request = PageRequest::newest(LENGTH);
    let Some(page) = timelines::query_page(conn, feed, now, request)? else { return Ok(None) };
    let Page { items, full, oldest, .. } = page;
    let floor = if full { oldest.unwrap_or(0) } else { 0 };
    // A mute that ends before [`store`] runs has hidden statuses from this query all the same.
    let valid_until = first_end(conn, feed.account(), now)?;
    let entries = items.into_iter().map(|entry| entry.id).collect();
    Ok(Some(Built { entries, floor, valid_until, round }))
}

/// Stores the query result as entries of the feed, beside entries that were added by fan-out in the
/// meantime. Stores nothing and returns `false` if the feed is not being built any more, or if it
/// became stale in the meantime.
pub fn store(tx: &mut Tx<'_>, feed: Feed, built: &Built) -> Result<bool> {
    let is_built = diesel::update(feeds::table.find(feed.id()))
        .filter(feeds::round.eq(built.round))
        .filter(
            feeds::stage
                .eq(FeedStage::Building.number())
                .or(feeds::stage.eq(FeedStage::Regenerating.number())),
        )
        .set((
            feeds::stage.eq(FeedStage::Ready.number()),
            feeds::floor.eq(built.floor),
            feeds::valid_until.eq(built.valid_until),
        ))
        .execute(&mut **tx)?;
    if is_built == 0 {
        return Ok(false);
    }
    let newest = built.entries.first().map_or(0, |id| id.get());
    diesel::delete(feed_entries::table)
        .filter(feed_entries::feed_id.eq(feed.id()))
        .filter(feed_entries::status_id.le(newest))
        .execute(&mut **tx)?;
    insert(tx, feed, &built.entries)?;
    remove_repeated(tx, feed, newest)?;
    Ok(true)
}

fn insert(tx: &mut Tx<'_>, feed: Feed, entries: &[StatusId]) -> Result<()> {
    let listed = rows_of_list(tx, "$2");
    let rows = sql_query(format!(
        "INSERT INTO feed_entries (feed_id, status_id, reblog_of_id)
         SELECT $1, statuses.id, statuses.reblog_of_id
         FROM ({listed}) AS listed CROSS JOIN statuses WHERE statuses.id = listed.id
         ON CONFLICT DO NOTHING"
    ))
    .bind::<BigInt, _>(feed.id())
    .bind::<Text, _>(list_of(entries));
    each!(&mut **tx, conn => prepared(rows).execute(conn))?;
    Ok(())
}

/// Removes repeated reblogs from entries that fan-out added during the rebuild. Fan-out could not
/// see the entries below them.
fn remove_repeated(tx: &mut Tx<'_>, feed: Feed, newest: i64) -> Result<()> {
    let delivered: i64 = feed_entries::table
        .filter(feed_entries::feed_id.eq(feed.id()))
        .filter(feed_entries::status_id.gt(newest))
        .count()
        .get_result(&mut **tx)?;
    if delivered == 0 {
        return Ok(());
    }
    let entries: Vec<Entry> = feed_entries::table
        .filter(feed_entries::feed_id.eq(feed.id()))
        .order(feed_entries::status_id.desc())
        .limit(delivered.saturating_add(LENGTH))
        .select((feed_entries::status_id, feed_entries::reblog_of_id))
        .load(&mut **tx)?;
    let repeated = entries.iter().zip(unrepeated(&entries)).filter(|(_, stays)| !stays);
    let repeated: Vec<StatusId> =
        repeated.map(|(entry, _)| entry.id).filter(|id| id.get() > newest).collect();
    diesel::delete(feed_entries::table)
        .filter(feed_entries::feed_id.eq(feed.id()))
        .filter(feed_entries::status_id.equals_any(&repeated))
        .execute(&mut **tx)?;
    Ok(())
}
