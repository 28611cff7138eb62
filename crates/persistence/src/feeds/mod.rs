//! Feeds: the newest part of home and list timelines, kept as rows, so that a page is read and not
//! searched for.
//!
//! What a timeline shows is said by `timelines::shown` and by nothing else. While a feed is ready,
//! it holds every status from its floor up that its timeline shows: a new status is put into each
//! ready feed whose rule lets it through, by the transaction that publishes it ([`deliver`]).
//! Whatever could let something more through or take something away (a follow, the end of a mute,
//! an exclusive list…) makes a feed stale: triggers of the database see to it, whoever causes it, but
//! for what goes with a single status ([`outdate`]). What they do not see, pages ask of each entry
//! ([`kept_entries!`]). A stale feed is read by nobody and [built](build) anew; until then, and below
//! the floor, its timeline is a query.

mod build;
mod deliver;
mod outdate;
mod plain;
mod read;
mod receivers;
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
    statuses::{AtStake, stakes},
};

pub use build::{Built, build, keep};
pub(crate) use deliver::is_news;
pub use deliver::{Delivered, deliver};
pub use outdate::{
    GoneReblog, LostTags, Unnamed, outdate_after_language, outdate_after_names,
    outdate_after_reblog, outdate_after_tags,
};
pub(crate) use read::{hears_of_all, kept_entries, kept_page};
pub use upkeep::{drop_unread, overgrown, trim};

/// How many entries a feed is built with. It may grow until it is trimmed.
pub const LENGTH: i64 = 800;

/// What is known of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    pub stage: FeedStage,
    /// Statuses with this id or a greater one are entries; 0: all are.
    pub floor: i64,
    /// Since when it is as it is, or when somebody looked last, to the day.
    pub wanted_at: Timestamp,
}

/// The state of a feed at `now`; None where nobody ever looked for it.
pub fn state(conn: &mut Conn, feed: Feed, now: Timestamp) -> Result<Option<State>> {
    let row: Option<StateRow> =
        feeds::table.find(feed.id()).select(STATE).first(conn).optional()?;
    Ok(row.map(|row| State::of_row(row, now)))
}

/// The state of a feed, and what is at stake for its reader. One statement; None where there is no
/// such reader.
pub(crate) fn state_and_stakes(
    conn: &mut Conn,
    feed: Feed,
    now: Timestamp,
) -> Result<Option<(Option<State>, AtStake)>> {
    let reader = feed.account();
    let row: Option<(Option<StateRow>, AtStake)> = users::table
        .left_join(feeds::table.on(feeds::feed_id.eq(feed.id())))
        .filter(users::account_id.eq(reader))
        .select((STATE.nullable(), stakes!(reader, now)))
        .first(conn)
        .optional()?;
    Ok(row.map(|(state, stakes)| (state.map(|row| State::of_row(row, now)), stakes)))
}

/// The columns of a [`State`].
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

/// From here on, what is published is delivered to the feed, which has to be built. Nothing where
/// its account or list is gone.
///
/// False there.
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

/// Removes what a feed that is not being built had before it was made stale: the rule may not let
/// it through any more. What comes from now on is let through as things are now.
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

/// Notes that somebody looked.
pub fn note_look(tx: &mut Tx<'_>, feed: Feed) -> Result<()> {
    let now = tx.now().unix_ms();
    diesel::update(feeds::table.find(feed.id()))
        .set(feeds::wanted_at.eq(now))
        .execute(&mut **tx)?;
    Ok(())
}

/// When the first of an account's mutes ends, which then lets more through.
fn first_end(conn: &mut Conn, account: AccountId, now: Timestamp) -> Result<Option<i64>> {
    Ok(mutes::table
        .filter(mutes::account_id.eq(account))
        .filter(mutes::expires_at.gt(now.unix_ms()))
        .select(min(mutes::expires_at))
        .first(conn)?)
}

/// The lock that publishers share and that [`begin`] takes alone, on PostgreSQL.
const ADVISORY_LOCK: i64 = 0x5153_4b49_4e00_0003;

/// A transaction that publishes and began before does not know of the feed: its status is there,
/// to be found by the build, once this returns. On SQLite there is one writer.
fn wait_for_publishers(tx: &mut Tx<'_>) -> Result<()> {
    advisory_lock(tx, "pg_advisory_xact_lock")
}

fn advisory_lock(tx: &mut Tx<'_>, function: &str) -> Result<()> {
    if let OnEngine::Postgres(pg) = tx.on_engine() {
        diesel::sql_query(format!("SELECT {function}({ADVISORY_LOCK})")).execute(pg)?;
    }
    Ok(())
}
