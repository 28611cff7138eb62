//! Feeds of home and list timelines. A read of a missing or stale feed starts a job that builds it.
//! Fan-out adds each status when it is published.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use siskin_entities::{
    Page, Status, Timestamp,
    feed::{Feed, FeedStage},
};
use siskin_ids::{AccountId, FollowId, ListId, StatusId, TagFollowId, TagId};
use siskin_persistence::{
    Conn, Tx,
    feeds::{self as rows, Built, FanOutProgress, State},
};
use siskin_policy::limits::FEED_RETENTION;

use crate::{
    Result,
    jobs::{self, Job},
};

/// Number of followers, of lists, and of hashtag followers that receive a status in one
/// transaction. The transaction that publishes handles the first of each.
pub const FAN_OUT_BATCH: i64 = 500;
/// A read is recorded only if the last recorded read is older than this.
const READ_RECORD_INTERVAL: Duration = Duration::from_secs(24 * 3600);
/// A build that is not finished after this time has failed. The next read starts it again.
const BUILD_TIMEOUT: Duration = Duration::from_secs(600);
/// Maximum number of feeds that one transaction trims, and maximum number that it drops.
const MAINTENANCE_BATCH: i64 = 20;

/// Page of a timeline, with the state of the feed that stores its newest part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedPage {
    pub page: Page<Status>,
    pub feed: FeedRead,
}

/// State of a feed at the time when a viewer read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedRead {
    pub feed: Feed,
    pub state: Option<State>,
}

impl FeedRead {
    /// Returns `true` if the feed is being rebuilt for a user who was away for long. The page is
    /// complete anyway.
    #[must_use]
    pub fn is_regenerating(&self) -> bool {
        self.state.is_some_and(|state| state.stage.is_regenerating())
    }

    /// Returns the maintenance that the feed needs after it was read.
    #[must_use]
    pub fn maintenance(&self, now: Timestamp) -> Option<Maintenance> {
        let Some(state) = self.state else { return Some(Maintenance::Build(FeedStage::Building)) };
        let is_older = |than: Duration| state.wanted_at < now.before(than);
        match (state.stage.next_build_stage(), state.stage) {
            (Some(next_build_stage), _) => Some(Maintenance::Build(next_build_stage)),
            (None, FeedStage::Ready) => {
                is_older(READ_RECORD_INTERVAL).then_some(Maintenance::Record)
            }
            (None, building) => is_older(BUILD_TIMEOUT).then_some(Maintenance::Build(building)),
        }
    }
}

/// Maintenance that a feed needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Maintenance {
    /// The feed must be built. It is in this stage until the build is finished.
    Build(FeedStage),
    /// The read must be recorded, because a feed that is not read is dropped.
    Record,
}

/// Runs the maintenance that a feed needs, unless another request has already run it.
///
/// # Errors
/// Storage errors only.
pub fn maintain(tx: &mut Tx<'_>, feed: Feed) -> Result<()> {
    let now = tx.now();
    let feed_read = FeedRead { feed, state: rows::state(tx, feed)? };
    match feed_read.maintenance(now) {
        None => Ok(()),
        Some(Maintenance::Record) => Ok(rows::record_request(tx, feed)?),
        Some(Maintenance::Build(stage)) => {
            if rows::begin(tx, feed, stage)? {
                let (account, list) = (feed.account(), feed.list());
                jobs::enqueue(tx, &BuildFeed { account, list })?;
            }
            Ok(())
        }
    }
}

/// Job that builds a feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildFeed {
    pub account: AccountId,
    pub list: Option<ListId>,
}

impl Job for BuildFeed {
    const KIND: &'static str = "feeds.build";
}

impl BuildFeed {
    fn feed(&self) -> Feed {
        self.list.map_or(Feed::Home(self.account), |list| Feed::List(self.account, list))
    }
}

/// Returns the entries of the feed. Returns `None` if there is nothing to build any more.
///
/// # Errors
/// Storage errors only. The same holds for [`store`].
pub fn build(conn: &mut Conn, job: &BuildFeed) -> Result<Option<Built>> {
    Ok(rows::build(conn, job.feed())?)
}

/// Stores the built entries. If the feed became stale meanwhile, the next read builds it again.
pub fn store(tx: &mut Tx<'_>, job: &BuildFeed, built: &Built) -> Result<()> {
    let kept = rows::store(tx, job.feed(), built)?;
    log::debug!("feed={} kept={kept}", job.feed().id());
    Ok(())
}

/// Job that continues the fan-out of a status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FanOut {
    pub status: StatusId,
    /// Last follower that has received it.
    pub follow: Option<FollowId>,
    /// Last list that has received it.
    pub list: Option<ListId>,
    /// Last hashtag of the status, and last follow of that hashtag, that has been handled.
    #[serde(default)]
    pub fan: Option<(TagId, TagFollowId)>,
}

impl Job for FanOut {
    const KIND: &'static str = "feeds.deliver";
}

/// Fans out a status to the feeds that may show it: the first of them at once, the rest by a job.
/// After an edit, further feeds may show it, by a new hashtag or mention.
///
/// # Errors
/// Storage errors only. The same holds for the functions below that have no such section.
pub fn fan_out(tx: &mut Tx<'_>, status: StatusId) -> Result<()> {
    fan_out_some(tx, &FanOut { status, follow: None, list: None, fan: None })
}

/// Runs one step of a fan-out, and enqueues another job for the rest.
pub fn fan_out_some(tx: &mut Tx<'_>, job: &FanOut) -> Result<()> {
    let after = FanOutProgress { follow: job.follow, list: job.list, fan: job.fan };
    if let Some(reached) = rows::fan_out(tx, job.status, after, FAN_OUT_BATCH)? {
        let FanOutProgress { follow, list, fan } = reached;
        jobs::enqueue(tx, &FanOut { status: job.status, follow, list, fan })?;
    }
    Ok(())
}

/// Job that trims feeds and drops those that are not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaintainFeeds {}

impl Job for MaintainFeeds {
    const KIND: &'static str = "feeds.tend";
}

/// Returns some feeds that have grown too long.
///
/// # Errors
/// Storage errors only. The same holds for [`maintain_some`].
pub fn overgrown(conn: &mut Conn) -> Result<Vec<i64>> {
    Ok(rows::overgrown(conn, MAINTENANCE_BATCH)?)
}

/// Trims these feeds and drops some that are not read. Enqueues another job if there may be more.
pub fn maintain_some(tx: &mut Tx<'_>, overgrown: &[i64]) -> Result<()> {
    overgrown.iter().try_for_each(|feed| rows::trim(tx, *feed))?;
    let before = tx.now().before(FEED_RETENTION);
    let dropped = rows::drop_unread(tx, before, MAINTENANCE_BATCH)?;
    let is_full = |count: usize| i64::try_from(count).is_ok_and(|count| count >= MAINTENANCE_BATCH);
    if is_full(overgrown.len()) || is_full(dropped) {
        jobs::enqueue(tx, &MaintainFeeds {})?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_builds_a_missing_feed_and_is_recorded_once_a_day() {
        let now = Timestamp::from_unix_ms(1_000_000_000_000);
        let maintenance = |stage, age: Duration| {
            let state = State { stage, floor: 0, wanted_at: now.before(age) };
            FeedRead { feed: Feed::Home(AccountId::new(1)), state: Some(state) }.maintenance(now)
        };
        let (fresh, hour, days) =
            (Duration::ZERO, Duration::from_hours(1), Duration::from_hours(48));
        assert_eq!(maintenance(FeedStage::Ready, hour), None);
        assert_eq!(maintenance(FeedStage::Ready, days), Some(Maintenance::Record));
        assert_eq!(maintenance(FeedStage::Building, fresh), None);
        assert_eq!(
            maintenance(FeedStage::Building, hour),
            Some(Maintenance::Build(FeedStage::Building))
        );
        assert_eq!(
            maintenance(FeedStage::Stale, fresh),
            Some(Maintenance::Build(FeedStage::Building))
        );
        assert_eq!(
            maintenance(FeedStage::Dropped, days),
            Some(Maintenance::Build(FeedStage::Regenerating))
        );
        assert_eq!(maintenance(FeedStage::Regenerating, fresh), None);
        let never = FeedRead { feed: Feed::Home(AccountId::new(1)), state: None };
        assert_eq!(never.maintenance(now), Some(Maintenance::Build(FeedStage::Building)));
        assert!(!never.is_regenerating());
    }
}
