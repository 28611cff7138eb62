//! Feeds of home and list timelines: built when they are read, and filled by fan-out when a status
//! is published.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use siskin_entities::{
    Page, Status, Timestamp,
    feed::{Feed, FeedStage},
};
use siskin_ids::{AccountId, FollowId, ListId, StatusId, TagFollowId, TagId};
use siskin_persistence::{
    Conn, Tx,
    feeds::{self as rows, Built, Delivered, GoneReblog, LostTags, State, Unnamed},
};
use siskin_policy::limits::FEED_KEPT_UNREAD;

use crate::{
    Result,
    jobs::{self, Job},
};

/// Number of followers, of lists, and of hashtag followers that receive a status in one
/// transaction. The transaction that publishes handles the first of each.
pub const DELIVERED_AT_ONCE: i64 = 500;
/// Maximum age of the recorded time of the last read.
const LOOK_NOTED_EVERY: Duration = Duration::from_secs(24 * 3600);
/// A feed that is still being built after this time was abandoned.
const PATIENCE: Duration = Duration::from_secs(600);
/// Number of feeds that are trimmed in one transaction, and number that are dropped.
const TENDED_AT_ONCE: i64 = 20;

/// Page of a timeline, with the state of the feed that stores its newest part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnPage {
    pub page: Page<Status>,
    pub feed: Seen,
}

/// State of a feed at the time when a viewer read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    pub feed: Feed,
    pub state: Option<State>,
}

impl Seen {
    /// Returns `true` if the feed is being rebuilt for a user who was away for long. The page is
    /// complete anyway.
    #[must_use]
    pub fn is_regenerating(&self) -> bool {
        self.state.is_some_and(|state| state.stage.is_regenerating())
    }

    /// Returns the maintenance that the feed needs after it was read.
    #[must_use]
    pub fn care(&self, now: Timestamp) -> Option<Care> {
        let Some(state) = self.state else { return Some(Care::Build(FeedStage::Building)) };
        let is_older = |than: Duration| state.wanted_at < now.before(than);
        match (state.stage.begun(), state.stage) {
            (Some(begun), _) => Some(Care::Build(begun)),
            (None, FeedStage::Ready) => is_older(LOOK_NOTED_EVERY).then_some(Care::Note),
            (None, building) => is_older(PATIENCE).then_some(Care::Build(building)),
        }
    }
}

/// Maintenance that a feed needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Care {
    /// The feed must be built. It is in this stage until then.
    Build(FeedStage),
    /// The read must be recorded, because a feed that is not read is dropped.
    Note,
}

/// Runs the maintenance that a feed needs, unless another request already has.
///
/// # Errors
/// Storage errors only.
pub fn tend(tx: &mut Tx<'_>, feed: Feed) -> Result<()> {
    let now = tx.now();
    let seen = Seen { feed, state: rows::state(tx, feed, now)? };
    match seen.care(now) {
        None => Ok(()),
        Some(Care::Note) => Ok(rows::note_look(tx, feed)?),
        Some(Care::Build(stage)) => {
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
/// Storage errors only. The same holds for [`keep`].
pub fn build(conn: &mut Conn, job: &BuildFeed, now: Timestamp) -> Result<Option<Built>> {
    Ok(rows::build(conn, job.feed(), now)?)
}

/// Stores the built entries. If the feed became stale meanwhile, the next read builds it again.
pub fn keep(tx: &mut Tx<'_>, job: &BuildFeed, built: &Built) -> Result<()> {
    let kept = rows::keep(tx, job.feed(), built)?;
    log::debug!("feed={} kept={kept}", job.feed().id());
    Ok(())
}

/// Job that continues the fan-out of a status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deliver {
    pub status: StatusId,
    /// Last follower that has received it.
    pub follow: Option<FollowId>,
    /// Last list that has received it.
    pub list: Option<ListId>,
    /// Last hashtag of the status, and last follow of that hashtag, that has been handled.
    #[serde(default)]
    pub fan: Option<(TagId, TagFollowId)>,
}

impl Job for Deliver {
    const KIND: &'static str = "feeds.deliver";
}

/// Fans out a status to the feeds that show it: the first of them at once, the rest by a job.
///
/// # Errors
/// Storage errors only. The same holds for the functions below that have no such section.
pub fn deliver(tx: &mut Tx<'_>, status: StatusId) -> Result<()> {
    deliver_some(tx, &Deliver { status, follow: None, list: None, fan: None })
}

/// Changes by an edit that affect which accounts can see the status.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Edited {
    pub is_other_language: bool,
    /// Hashtags that the edit removed.
    pub lost_tags: Vec<TagId>,
    /// Accounts that the edit no longer mentions.
    pub unnamed: Vec<AccountId>,
}

/// Updates feeds after an edit. The status may now be visible to further viewers: by a new hashtag,
/// in another language, or because it no longer mentions an account that they block or mute. If it
/// disappears from a feed, reblogs of it may appear there that were left out because of it.
pub fn edited(tx: &mut Tx<'_>, status: StatusId, edited: Edited) -> Result<()> {
    deliver(tx, status)?;
    if edited.is_other_language {
        rows::outdate_after_language(tx, status)?;
    }
    let Edited { lost_tags: tags, unnamed: accounts, .. } = edited;
    if !tags.is_empty() {
        outdate_some(tx, &Outdate::Tags { status, tags, after: None })?;
    }
    if !accounts.is_empty() {
        outdate_some(tx, &Outdate::Names { status, accounts, after: None })?;
    }
    Ok(())
}

/// Updates feeds after a reblog was deleted. Other reblogs of the same status may have been left
/// out because of it.
pub fn reblog_is_gone(tx: &mut Tx<'_>, gone: GoneReblog) -> Result<()> {
    let GoneReblog { id: reblog, account, of } = gone;
    outdate_some(tx, &Outdate::Reblog { reblog, account, of, after: None })
}

/// Job that marks feeds as stale that may lack a reblog. The entry because of which it was left out
/// is gone, or the rule that hid it no longer applies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outdate {
    /// A reblog was deleted.
    Reblog {
        reblog: StatusId,
        account: AccountId,
        of: StatusId,
        /// Last follower of the account that has been handled.
        after: Option<FollowId>,
    },
    /// A status lost these hashtags.
    Tags {
        status: StatusId,
        tags: Vec<TagId>,
        /// Last follow of one of these hashtags that has been handled.
        after: Option<TagFollowId>,
    },
    /// A status no longer mentions these accounts.
    Names {
        status: StatusId,
        accounts: Vec<AccountId>,
        /// Last account that has been handled, among those that block or mute one of them.
        after: Option<AccountId>,
    },
}

impl Job for Outdate {
    const KIND: &'static str = "feeds.outdate";
}

/// Runs one step of the invalidation, and enqueues another job for the rest.
pub fn outdate_some(tx: &mut Tx<'_>, job: &Outdate) -> Result<()> {
    let mut rest = job.clone();
    let is_left = match &mut rest {
        Outdate::Reblog { reblog, account, of, after } => {
            let gone = GoneReblog { id: *reblog, account: *account, of: *of };
            *after = rows::outdate_after_reblog(tx, gone, *after, DELIVERED_AT_ONCE)?;
            after.is_some()
        }
        Outdate::Tags { status, tags, after } => {
            let lost = LostTags { status: *status, tags };
            *after = rows::outdate_after_tags(tx, lost, *after, DELIVERED_AT_ONCE)?;
            after.is_some()
        }
        Outdate::Names { status, accounts, after } => {
            let unnamed = Unnamed { status: *status, accounts };
            *after = rows::outdate_after_names(tx, unnamed, *after, DELIVERED_AT_ONCE)?;
            after.is_some()
        }
    };
    if is_left {
        jobs::enqueue(tx, &rest)?;
    }
    Ok(())
}

/// Runs one step of a fan-out, and enqueues another job for the rest.
pub fn deliver_some(tx: &mut Tx<'_>, job: &Deliver) -> Result<()> {
    let after = Delivered { follow: job.follow, list: job.list, fan: job.fan };
    if let Some(reached) = rows::deliver(tx, job.status, after, DELIVERED_AT_ONCE)? {
        let Delivered { follow, list, fan } = reached;
        jobs::enqueue(tx, &Deliver { status: job.status, follow, list, fan })?;
    }
    Ok(())
}

/// Job that trims feeds and drops those that are not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TendFeeds {}

impl Job for TendFeeds {
    const KIND: &'static str = "feeds.tend";
}

/// Returns some feeds that have grown too long.
///
/// # Errors
/// Storage errors only. The same holds for [`tend_some`].
pub fn overgrown(conn: &mut Conn) -> Result<Vec<i64>> {
    Ok(rows::overgrown(conn, TENDED_AT_ONCE)?)
}

/// Trims these feeds and drops some that are not read. Enqueues another job if there may be more.
pub fn tend_some(tx: &mut Tx<'_>, overgrown: &[i64]) -> Result<()> {
    overgrown.iter().try_for_each(|feed| rows::trim(tx, *feed))?;
    let before = tx.now().before(FEED_KEPT_UNREAD);
    let dropped = rows::drop_unread(tx, before, TENDED_AT_ONCE)?;
    let is_full = |count: usize| i64::try_from(count).is_ok_and(|count| count >= TENDED_AT_ONCE);
    if is_full(overgrown.len()) || is_full(dropped) {
        jobs::enqueue(tx, &TendFeeds {})?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_builds_what_is_not_there_and_is_noted_once_a_day() {
        let now = Timestamp::from_unix_ms(1_000_000_000_000);
        let care = |stage, age: Duration| {
            let state = State { stage, floor: 0, wanted_at: now.before(age) };
            Seen { feed: Feed::Home(AccountId::new(1)), state: Some(state) }.care(now)
        };
        let (fresh, hour, days) =
            (Duration::ZERO, Duration::from_hours(1), Duration::from_hours(48));
        assert_eq!(care(FeedStage::Ready, hour), None);
        assert_eq!(care(FeedStage::Ready, days), Some(Care::Note));
        assert_eq!(care(FeedStage::Building, fresh), None);
        assert_eq!(care(FeedStage::Building, hour), Some(Care::Build(FeedStage::Building)));
        assert_eq!(care(FeedStage::Stale, fresh), Some(Care::Build(FeedStage::Building)));
        assert_eq!(care(FeedStage::Dropped, days), Some(Care::Build(FeedStage::Regenerating)));
        assert_eq!(care(FeedStage::Regenerating, fresh), None);
        let never = Seen { feed: Feed::Home(AccountId::new(1)), state: None };
        assert_eq!(never.care(now), Some(Care::Build(FeedStage::Building)));
        assert!(!never.is_regenerating());
    }
}
