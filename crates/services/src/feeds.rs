//! The kept part of timelines that are somebody's own: put in order when it is looked at, and
//! given what is published.

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

/// So many followers' feeds, so many lists', and so many of those who follow its hashtags, have a
/// status in one transaction, the first of them in the one that publishes.
pub const DELIVERED_AT_ONCE: i64 = 500;
/// How far the noted time of the last look may be behind.
const LOOK_NOTED_EVERY: Duration = Duration::from_secs(24 * 3600);
/// What is still being built after this time was left by somebody who gave up.
const PATIENCE: Duration = Duration::from_secs(600);
/// So many feeds are trimmed in one transaction, and so many given up.
const TENDED_AT_ONCE: i64 = 20;

/// A page of a timeline and what is known of the feed that keeps its newest part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnPage {
    pub page: Page<Status>,
    pub feed: Seen,
}

/// A feed as a reader found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    pub feed: Feed,
    pub state: Option<State>,
}

impl Seen {
    /// Whether the feed is being made anew for somebody who was long away. The page is whole all
    /// the same.
    #[must_use]
    pub fn is_regenerating(&self) -> bool {
        self.state.is_some_and(|state| state.stage.is_regenerating())
    }

    /// What is to be done for the feed, now that somebody has looked.
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

/// What a feed needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Care {
    /// To be built, and this stage until then.
    Build(FeedStage),
    /// That the look is noted: it is kept for those who look.
    Note,
}

/// Gives a feed what it needs, unless somebody else just has.
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

/// The work of building a feed.
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

/// What the feed is to hold; None where there is nothing to build any more.
///
/// # Errors
/// Storage errors only, as with the next.
pub fn build(conn: &mut Conn, job: &BuildFeed, now: Timestamp) -> Result<Option<Built>> {
    Ok(rows::build(conn, job.feed(), now)?)
}

/// Keeps what was built. Where something was let in meanwhile, the next look starts anew.
pub fn keep(tx: &mut Tx<'_>, job: &BuildFeed, built: &Built) -> Result<()> {
    let kept = rows::keep(tx, job.feed(), built)?;
    log::debug!("feed={} kept={kept}", job.feed().id());
    Ok(())
}

/// The work of delivering a status to those who do not have it yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deliver {
    pub status: StatusId,
    /// The last follower who has it.
    pub follow: Option<FollowId>,
    /// The last list that has it.
    pub list: Option<ListId>,
    /// The last hashtag of it, and the last who has it for following that.
    #[serde(default)]
    pub fan: Option<(TagId, TagFollowId)>,
}

impl Job for Deliver {
    const KIND: &'static str = "feeds.deliver";
}

/// Puts a status into the feeds that are to show it: into the first of them at once, into the rest
/// by a job.
///
/// # Errors
/// Storage errors only, as with the next.
pub fn deliver(tx: &mut Tx<'_>, status: StatusId) -> Result<()> {
    deliver_some(tx, &Deliver { status, follow: None, list: None, fan: None })
}

/// What an edit did to a status, as far as it matters to whom it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Edited {
    pub is_other_language: bool,
    /// The hashtags that it has no more.
    pub lost_tags: Vec<TagId>,
    /// Whom it names no more.
    pub unnamed: Vec<AccountId>,
}

/// After an edit a status may be for others, too: by another hashtag, in another language, or as it does
/// not name somebody any more whom they avoid. And where it is for somebody no more, reblogs of it may be
/// that were left out for its sake.
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

/// After a reblog is gone: others of the same status may have been left out for its sake.
pub fn reblog_is_gone(tx: &mut Tx<'_>, gone: GoneReblog) -> Result<()> {
    let GoneReblog { id: reblog, account, of } = gone;
    outdate_some(tx, &Outdate::Reblog { reblog, account, of, after: None })
}

/// The work of having feeds built anew that may lack a reblog, as what it was left out for stands
/// there no more, or what kept it from their readers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outdate {
    /// A reblog that was there is gone.
    Reblog {
        reblog: StatusId,
        account: AccountId,
        of: StatusId,
        /// The last follower of the account that was looked at.
        after: Option<FollowId>,
    },
    /// A status has these hashtags no more.
    Tags {
        status: StatusId,
        tags: Vec<TagId>,
        /// The last who was looked at for following one of them.
        after: Option<TagFollowId>,
    },
    /// A status does not name these accounts any more.
    Names {
        status: StatusId,
        accounts: Vec<AccountId>,
        /// The last of those who avoid one of them that was looked at.
        after: Option<AccountId>,
    },
}

impl Job for Outdate {
    const KIND: &'static str = "feeds.outdate";
}

/// Does a part of it and leaves the rest as another job.
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

/// Does a part of a delivery and leaves the rest as another job.
pub fn deliver_some(tx: &mut Tx<'_>, job: &Deliver) -> Result<()> {
    let after = Delivered { follow: job.follow, list: job.list, fan: job.fan };
    if let Some(reached) = rows::deliver(tx, job.status, after, DELIVERED_AT_ONCE)? {
        let Delivered { follow, list, fan } = reached;
        jobs::enqueue(tx, &Deliver { status: job.status, follow, list, fan })?;
    }
    Ok(())
}

/// The work of keeping feeds short and giving up those that nobody reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TendFeeds {}

impl Job for TendFeeds {
    const KIND: &'static str = "feeds.tend";
}

/// Some of those that have grown too long.
///
/// # Errors
/// Storage errors only, as with the next.
pub fn overgrown(conn: &mut Conn) -> Result<Vec<i64>> {
    Ok(rows::overgrown(conn, TENDED_AT_ONCE)?)
}

/// Trims these feeds, gives up some that nobody reads, and leaves a job where there may be more.
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
