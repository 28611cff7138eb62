//! Compares feeds with their timelines.

use std::collections::HashSet;

use diesel::prelude::*;
use siskin_entities::{
    PageRequest, Timestamp,
    feed::{Feed, FeedStage},
};
use siskin_ids::{AccountId, ListId, StatusId};

use crate::{
    Conn, Result, Tx,
    equals_any::IdExpression as _,
    feeds as rows,
    schema::feeds,
    statuses::Entry,
    timelines::{self, FeedPage},
};

/// Number of the newest timeline entries to compare.
const COMPARED: i64 = 40;
/// Number of feeds that one statement reads.
const AT_ONCE: i64 = 1000;
/// Maximum number of feeds marked stale per transaction.
const MARKED_AT_ONCE: usize = 500;

type Row = (i64, AccountId, Option<ListId>);

/// Returns the ready feeds that lack a status among the newest entries of their timeline. A status
/// that has not been fanned out yet counts as lacking.
///
/// # Errors
/// Storage errors.
pub fn incomplete_feeds(conn: &mut Conn, now: Timestamp) -> Result<Vec<Feed>> {
    let (mut incomplete, mut after) = (Vec::new(), i64::MIN);
    loop {
        let rows: Vec<Row> = feeds::table
            .filter(feeds::feed_id.gt(after))
            .filter(feeds::stage.eq(FeedStage::Ready.number()))
            .order(feeds::feed_id)
            .limit(AT_ONCE)
            .select((feeds::feed_id, feeds::account_id, feeds::list_id))
            .load(conn)?;
        let Some((last, ..)) = rows.last() else { return Ok(incomplete) };
        after = *last;
        for (_, account, list) in rows {
            let feed = list.map_or(Feed::Home(account), |list| Feed::List(account, list));
            if !is_complete(conn, feed, now)? {
                incomplete.push(feed);
            }
        }
    }
}

fn is_complete(conn: &mut Conn, feed: Feed, now: Timestamp) -> Result<bool> {
    let newest = PageRequest::newest(COMPARED);
    let Some(timeline_page) = timelines::query_page(conn, feed, now, newest)? else {
        return Ok(true);
    };
    let Some(FeedPage { page: feed_page, feed: Some(state) }) =
        timelines::load_feed_page(conn, feed, now, PageRequest::newest(rows::LENGTH))?
    else {
        return Ok(true);
    };
    if state.stage != FeedStage::Ready {
        return Ok(true);
    }
    let feed_ids: HashSet<StatusId> = feed_page.items.iter().map(|entry| entry.id).collect();
    // A reblog may be left out if the reblogged status, or another reblog of it, stands below it.
    let is_repeated = |missing: &Entry| {
        feed_page.items.iter().any(|below| {
            below.id < missing.id && missing.reblog_of == Some(below.reblog_of.unwrap_or(below.id))
        })
    };
    let is_in_feed = |entry: &Entry| entry.id.get() < state.floor || feed_ids.contains(&entry.id);
    Ok(timeline_page.items.iter().all(|entry| is_in_feed(entry) || is_repeated(entry)))
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
