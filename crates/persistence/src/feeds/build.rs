//! Rebuilds a feed from a search of its candidates.

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text},
};
use siskin_entities::{
    PageRequest,
    feed::{Feed, FeedStage},
};
use siskin_ids::StatusId;

use super::LENGTH;
use crate::{
    Conn, Result, Tx,
    conn::each,
    equals_any::{list_of, rows_of_list},
    prepared::prepared,
    schema::{feed_entries, feeds},
    timelines,
};

/// Result of a search in one database snapshot: the future entries of a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// Status ids, newest first.
    entries: Vec<StatusId>,
    floor: i64,
    /// Value of `feeds.round` at the time of the search. It identifies the rebuild.
    round: i64,
}

/// Searches the entries of `feed`. Returns `None` if the feed is gone.
pub fn build(conn: &mut Conn, feed: Feed) -> Result<Option<Built>> {
    let round: Option<i64> =
        feeds::table.find(feed.id()).select(feeds::round).first(conn).optional()?;
    let Some(round) = round else { return Ok(None) };
    let found = timelines::search(conn, feed, PageRequest::newest(LENGTH))?;
    let is_full = i64::try_from(found.len()).is_ok_and(|count| count >= LENGTH);
    let oldest = found.last().filter(|_| is_full);
    let floor = oldest.map_or(0, |candidate| candidate.id.get());
    let entries = found.into_iter().map(|candidate| candidate.id).collect();
    Ok(Some(Built { entries, floor, round }))
}

/// Stores the result of the search as entries of the feed, beside entries that were added by
/// fan-out in the meantime. Stores nothing and returns `false` if the feed is not being built any
/// more, or if it became stale in the meantime.
pub fn store(tx: &mut Tx<'_>, feed: Feed, built: &Built) -> Result<bool> {
    let is_built = diesel::update(feeds::table.find(feed.id()))
        .filter(feeds::round.eq(built.round))
        .filter(
            feeds::stage
                .eq(FeedStage::Building.number())
                .or(feeds::stage.eq(FeedStage::Regenerating.number())),
        )
        .set((feeds::stage.eq(FeedStage::Ready.number()), feeds::floor.eq(built.floor)))
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
    Ok(true)
}

fn insert(tx: &mut Tx<'_>, feed: Feed, entries: &[StatusId]) -> Result<()> {
    let listed = rows_of_list(tx, "$2");
    let rows = sql_query(format!(
        "INSERT INTO feed_entries (feed_id, status_id, reblog_of_id, account_id)
         SELECT $1, statuses.id, statuses.reblog_of_id, statuses.account_id
         FROM ({listed}) AS listed CROSS JOIN statuses WHERE statuses.id = listed.id
         ON CONFLICT DO NOTHING"
    ))
    .bind::<BigInt, _>(feed.id())
    .bind::<Text, _>(list_of(entries));
    each!(&mut **tx, conn => prepared(rows).execute(conn))?;
    Ok(())
}
