//! Feeds: materialised rows of the newest part of home and list timelines, so that a page is read
//! instead of searched for.
//!
//! Only `timelines::rules` defines what a timeline shows. A ready feed contains every status of its
//! timeline from its floor upwards. The transaction that publishes a status inserts it into each
//! ready feed that shows it ([`fan_out()`]).
//!
//! A feed becomes stale after any change that could add or hide entries: a follow, the end of a
//! mute, an exclusive list and so on. Database triggers do this for every cause, except for changes
//! of a single status ([`mark_stale`]). For changes that no trigger covers, pages check each entry
//! on read ([`visible_entries!`]). A stale feed is not read; it is [rebuilt](build()). Until then,
//! and below the floor, a query serves the timeline.

mod build;
mod fan_out;
mod fast_path;
mod mark_stale;
mod read;
mod targets;
mod upkeep;

use diesel::{
    dsl::{exists, min, not},
    prelude::*,
};
use siskin_entities::{
    Timestamp,
    feed::{Feed, FeedStage},
};
use siskin_ids::AccountId;

use crate::{
    Conn, Result, Tx,
    conn::{OnEngine, each},
    schema::{feed_entries, feeds, mutes, users},
    statuses::{RelationFlags, flags},
};

pub use build::{Built, build, store};
pub(crate) use fan_out::is_not_repeated;
pub use fan_out::{FanOutProgress, fan_out};
pub use mark_stale::{
    DeletedReblog, LostMentions, LostTags, mark_stale_after_language, mark_stale_after_mentions,
    mark_stale_after_reblog, mark_stale_after_tags,
};
pub(crate) use read::{all_make_stale, feed_page, visible_entries};
pub use upkeep::{drop_unread, overgrown, trim};

/// Number of entries of a rebuilt feed. It may grow until it is trimmed.
pub const LENGTH: i64 = 800;

/// Stored state of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    pub stage: FeedStage,
    /// Lower end of the feed: statuses with this id or a greater one are entries. 0 if the feed
    /// contains the whole timeline.
    pub floor: i64,
    /// Time of the last change of stage or of the last request, to the day.
    pub wanted_at: Timestamp,
}

/// Loads the state of a feed at `now`. Returns `None` if the feed was never requested.
pub fn state(conn: &mut Conn, feed: Feed, now: Timestamp) -> Result<Option<State>> {
    let row: Option<StateRow> =
        feeds::table.find(feed.id()).select(STATE).first(conn).optional()?;
    Ok(row.map(|row| State::of_row(row, now)))
}

/// Loads the state of a feed and the viewer relations of its owner in one statement. Returns `None`
/// if the owner has no user.
pub(crate) fn state_and_flags(
    conn: &mut Conn,
    feed: Feed,
    now: Timestamp,
) -> Result<Option<(Option<State>, RelationFlags)>> {
    let viewer = feed.account();
    let row: Option<(Option<StateRow>, RelationFlags)> = users::table
        .left_join(feeds::table.on(feeds::feed_id.eq(feed.id())))
        .filter(users::account_id.eq(viewer))
        .select((STATE.nullable(), flags!(viewer, now)))
        .first(conn)
        .optional()?;
    Ok(row.map(|(state, flags)| (state.map(|row| State::of_row(row, now)), flags)))
}

/// Columns of a [`State`].
const STATE: (feeds::stage, feeds::floor, feeds::valid_until, feeds::wanted_at) =
    (feeds::stage, feeds::floor, feeds::valid_until, feeds::wanted_at);
type StateRow = (i16, i64, Option<i64>, i64);

impl State {
    fn of_row((stage, floor, valid_until, wanted_at): StateRow, now: Timestamp) -> Self {
        let has_ended = valid_until.is_some_and(|until| until <= now.unix_ms());
        let stage = match FeedStage::from_number(stage) {
            FeedStage::Ready if has_ended => FeedStage::Stale,
            stage => stage,
        };
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

/// Deletes the entries of a feed that is not being built. They date from before it became stale,
/// and the rule may not show them any more. New entries follow the present rule.
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

/// Returns the end of an account's first mute to expire. More statuses become visible at that time.
fn first_end(conn: &mut Conn, account: AccountId, now: Timestamp) -> Result<Option<i64>> {
    Ok(mutes::table
        .filter(mutes::account_id.eq(account))
        .filter(mutes::expires_at.gt(now.unix_ms()))
        .select(min(mutes::expires_at))
        .first(conn)?)
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
