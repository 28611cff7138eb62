//! Trims feeds, and drops feeds that are not read.

use diesel::{dsl::count_star, prelude::*};
use siskin_entities::{Timestamp, feed::FeedStage};

use super::LENGTH;
use crate::{
    Conn, Result, Tx,
    equals_any::IdExpression as _,
    schema::{feed_entries, feeds},
};

/// Maximum number of entries before a feed is trimmed to its [length](LENGTH).
const LONGEST: i64 = LENGTH + 200;

/// Returns the ids of up to `limit` feeds that are too long. Reads all entries.
pub fn overgrown(conn: &mut Conn, limit: i64) -> Result<Vec<i64>> {
    Ok(feed_entries::table
        .group_by(feed_entries::feed_id)
        .having(count_star().gt(LONGEST))
        .select(feed_entries::feed_id)
        .limit(limit)
        .load(conn)?)
}

/// Deletes the oldest entries of a feed and raises its floor.
pub fn trim(tx: &mut Tx<'_>, feed: i64) -> Result<()> {
    let floor: Option<i64> = feed_entries::table
        .filter(feed_entries::feed_id.eq(feed))
        .order(feed_entries::status_id.desc())
        .offset(LENGTH - 1)
        .select(feed_entries::status_id)
        .first(&mut **tx)
        .optional()?;
    let Some(floor) = floor else { return Ok(()) };
    diesel::update(feeds::table.find(feed))
        .filter(feeds::floor.lt(floor))
        .set(feeds::floor.eq(floor))
        .execute(&mut **tx)?;
    diesel::delete(feed_entries::table)
        .filter(feed_entries::feed_id.eq(feed))
        .filter(feed_entries::status_id.lt(floor))
        .execute(&mut **tx)?;
    Ok(())
}

/// Drops up to `limit` feeds that were not requested since `before`. Returns their number.
pub fn drop_unread(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<usize> {
    let dropped = FeedStage::Dropped.number();
    let unread: Vec<i64> = feeds::table
        .filter(feeds::wanted_at.lt(before.unix_ms()))
        .filter(feeds::stage.ne(dropped))
        .limit(limit)
        .select(feeds::feed_id)
        .load(&mut **tx)?;
    diesel::update(feeds::table.filter(feeds::feed_id.equals_any(&unread)))
        .set((feeds::stage.eq(dropped), feeds::floor.eq(0)))
        .execute(&mut **tx)?;
    diesel::delete(feed_entries::table.filter(feed_entries::feed_id.equals_any(&unread)))
        .execute(&mut **tx)?;
    Ok(unread.len())
}
