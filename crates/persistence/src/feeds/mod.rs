//! Feeds: materialised rows of the newest part of home and list timelines, so that candidates are
//! read instead of searched for.
//!
//! A row says that the timeline may show a status; `siskin_policy::timelines` decides whether it
//! does. A ready feed contains every [candidate](crate::timelines) of its timeline from its floor
//! upwards. The transaction that publishes a status inserts it into each ready feed that may show
//! it ([`fan_out()`]).
//!
//! What hides an entry (a block, a mute, an unfollow, a suspension, an edit) leaves the feed as it
//! is. A change that adds candidates (a follow, a new member of a list, a followed hashtag) makes
//! it stale; triggers do that. A stale feed is not read, but [rebuilt](build()). Until then, and
//! below the floor, a search serves the timeline.

mod build;
mod fan_out;
mod upkeep;

use std::sync::Arc;

use diesel::{
    dsl::{exists, not},
    prelude::*,
};
use siskin_entities::{
    Timestamp, ViewerRelations,
    feed::{Feed, FeedStage},
};

use crate::{
    Conn, Result, Tx,
    conn::{OnEngine, each},
    relationships::{relations_key, relations_of_keys},
    schema::{feed_entries, feeds, users},
    snapshots::generation,
};

pub use build::{Built, build, store};
pub use fan_out::{FanOutProgress, fan_out};
pub use upkeep::{drop_unread, overgrown, trim};

/// Number of entries of a rebuilt feed. It may grow until it is trimmed.
pub const LENGTH: i64 = 800;

/// Stored state of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    pub stage: FeedStage,
    /// Lower end of the feed: candidates with this id or a greater one are entries. 0 if the feed
    /// contains the whole timeline.
    pub floor: i64,
    /// Time of the last change of stage or of the last request, to the day.
    pub wanted_at: Timestamp,
}

/// Loads the state of a feed. Returns `None` if the feed was never requested.
pub fn state(conn: &mut Conn, feed: Feed) -> Result<Option<State>> {
    let row: Option<StateRow> =
        feeds::table.find(feed.id()).select(STATE).first(conn).optional()?;
    Ok(row.map(State::of_row))
}

/// Loads the state of a feed and the relations of its owner. Runs one statement if the relations
/// are cached.
pub fn state_and_relations(
    conn: &mut Conn,
    feed: Feed,
) -> Result<(Option<State>, Arc<ViewerRelations>)> {
    let viewer = feed.account();
    let row: Option<(Option<StateRow>, i64, Option<i64>)> = users::table
        .left_join(feeds::table.on(feeds::feed_id.eq(feed.id())))
        .filter(users::account_id.eq(viewer))
        .select((STATE.nullable(), users::relations_version, generation!()))
        .first(conn)
        .optional()?;
    let Some((state, version, generation)) = row else { return Ok((None, Arc::default())) };
    let key = relations_key(viewer, version, generation);
    let relations = relations_of_keys(conn, &[key])?.remove(&viewer).unwrap_or_default();
    Ok((state.map(State::of_row), relations))
}

/// Columns of a [`State`].
const STATE: (feeds::stage, feeds::floor, feeds::wanted_at) =
    (feeds::stage, feeds::floor, feeds::wanted_at);
type StateRow = (i16, i64, i64);

impl State {
    fn of_row((stage, floor, wanted_at): StateRow) -> Self {
        let stage = FeedStage::from_number(stage);
        Self { stage, floor, wanted_at: Timestamp::from_unix_ms(wanted_at) }
    }
}

/// Starts a rebuild. From now on, fan-out includes the feed. Does nothing and returns `false` if
/// its account or list is gone.
pub fn begin(tx: &mut Tx<'_>, feed: Feed, stage: FeedStage) -> Result<bool> {
    wait_for_publishers(tx)?;
    let (account, list) = (feed.account(), feed.list());
    if let Some(list) = list
        && crate::lists::find(tx, account, list)?.is_none()
    {
        return Ok(false);
    }
    empty(tx, feed)?;
    let now = tx.now().unix_ms();
    let row = (
        feeds::feed_id.eq(feed.id()),
        feeds::account_id.eq(account),
        feeds::list_id.eq(list),
        feeds::stage.eq(stage.number()),
        feeds::floor.eq(0_i64),
        feeds::wanted_at.eq(now),
    );
    each!(&mut **tx, conn => diesel::insert_into(feeds::table)
        .values(row)
        .on_conflict(feeds::feed_id)
        .do_update()
        .set((
            feeds::stage.eq(stage.number()),
            feeds::wanted_at.eq(now),
            feeds::round.eq(feeds::round + 1),
        ))
        .execute(conn))?;
    Ok(true)
}

/// Deletes the entries of a feed that is not being built. They date from before it became stale.
fn empty(tx: &mut Tx<'_>, feed: Feed) -> Result<()> {
    let being_built = feeds::table.find(feed.id()).filter(
        feeds::stage
            .eq(FeedStage::Building.number())
            .or(feeds::stage.eq(FeedStage::Regenerating.number())),
    );
    diesel::delete(feed_entries::table)
        .filter(feed_entries::feed_id.eq(feed.id()))
        .filter(not(exists(being_built)))
        .execute(&mut **tx)?;
    Ok(())
}

/// Records that the feed was requested.
pub fn record_request(tx: &mut Tx<'_>, feed: Feed) -> Result<()> {
    let now = tx.now().unix_ms();
    diesel::update(feeds::table.find(feed.id()))
        .set(feeds::wanted_at.eq(now))
        .execute(&mut **tx)?;
    Ok(())
}

/// PostgreSQL advisory lock. Publishing transactions share it; [`begin`] takes it exclusively.
const ADVISORY_LOCK: i64 = 0x5153_4b49_4e00_0003;

/// Waits for publishing transactions that started earlier and do not know of the feed. Once this
/// returns, their statuses are visible to the rebuild query. SQLite has only one writer.
fn wait_for_publishers(tx: &mut Tx<'_>) -> Result<()> {
    advisory_lock(tx, "pg_advisory_xact_lock")
}

fn advisory_lock(tx: &mut Tx<'_>, function: &str) -> Result<()> {
    if let OnEngine::Postgres(pg) = tx.on_engine() {
        diesel::sql_query(format!("SELECT {function}({ADVISORY_LOCK})")).execute(pg)?;
    }
    Ok(())
}
