//! Compares feeds with the candidates of their timelines.

use diesel::prelude::*;
use siskin_entities::{
    PageRequest,
    feed::{Feed, FeedStage},
};
use siskin_ids::{AccountId, ListId, StatusId};

use crate::{
    Conn, Result, Tx,
    equals_any::IdExpression as _,
    schema::{feed_entries, feeds},
    timelines,
};

/// Number of the newest timeline entries to compare.
const COMPARED: i64 = 40;
/// Number of feeds that one statement reads.
const AT_ONCE: i64 = 1000;
/// Maximum number of feeds marked stale per transaction.
const MARKED_AT_ONCE: usize = 500;

type Row = (i64, i64, AccountId, Option<ListId>);

/// Returns the ready feeds that lack one of the newest candidates of their timeline. A status that
/// has not been fanned out yet counts as lacking.
///
/// # Errors
/// Storage errors.
pub fn incomplete_feeds(conn: &mut Conn) -> Result<Vec<Feed>> {
    let (mut incomplete, mut after) = (Vec::new(), i64::MIN);
    loop {
        let rows: Vec<Row> = feeds::table
            .filter(feeds::feed_id.gt(after))
            .filter(feeds::stage.eq(FeedStage::Ready.number()))
            .order(feeds::feed_id)
            .limit(AT_ONCE)
            .select((feeds::feed_id, feeds::floor, feeds::account_id, feeds::list_id))
            .load(conn)?;
        let Some((last, ..)) = rows.last() else { return Ok(incomplete) };
        after = *last;
        for (_, floor, account, list) in rows {
            let feed = list.map_or(Feed::Home(account), |list| Feed::List(account, list));
            if !is_complete(conn, feed, floor)? {
                incomplete.push(feed);
            }
        }
    }
}

fn is_complete(conn: &mut Conn, feed: Feed, floor: i64) -> Result<bool> {
    let candidates = timelines::search(conn, feed, PageRequest::newest(COMPARED))?;
    let ids: Vec<StatusId> = candidates.iter().map(|candidate| candidate.id).collect();
    let entries: Vec<StatusId> = feed_entries::table
        .filter(feed_entries::feed_id.eq(feed.id()))
        .filter(feed_entries::status_id.equals_any(&ids))
        .select(feed_entries::status_id)
        .load(conn)?;
    Ok(ids.iter().all(|id| id.get() < floor || entries.contains(id)))
}

/// Splits the feeds into the batches that [`mark_stale`] takes.
pub fn feed_batches(feeds: &[Feed]) -> impl Iterator<Item = &[Feed]> {
    feeds.chunks(MARKED_AT_ONCE)
}

/// Marks the feeds of one batch stale. The next request triggers a rebuild; until then a query
/// serves the timeline.
///
/// # Errors
/// Storage errors.
pub fn mark_stale(tx: &mut Tx<'_>, batch: &[Feed]) -> Result<()> {
    diesel::update(feeds::table)
        .filter(feeds::feed_id.equals_any(batch.iter().map(|feed| feed.id())))
        .filter(feeds::stage.eq(FeedStage::Ready.number()))
        .set(feeds::stage.eq(FeedStage::Stale.number()))
        .execute(&mut **tx)?;
    Ok(())
}
