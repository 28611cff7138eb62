//! Fan-out: inserts a status into the feeds that may show it: those of the author, of followers, of
//! lists and of tag followers.
//!
//! It asks nothing about a single reader. Blocks, mutes and the like are checked when a page is
//! read.

use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Nullable},
};
use siskin_entities::Visibility;
use siskin_ids::{AccountId, FollowId, ListId, StatusId, TagFollowId, TagId};

use super::advisory_lock;
use crate::{
    Conn, Result, Tx,
    conn::each,
    prepared::prepared,
    schema::{follows, list_accounts, statuses, statuses_tags, tag_follows},
    statuses::{lock_against_deletion, row_exists},
};

/// Progress of a fan-out. Popular authors and hashtags need several steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FanOutProgress {
    /// The follow of the last follower. `None` before the first.
    pub follow: Option<FollowId>,
    /// The last list. `None` before the first.
    pub list: Option<ListId>,
    /// The last hashtag and the last follow of it. `None` before the first.
    pub fan: Option<(TagId, TagFollowId)>,
}

/// Inserts a status into the feeds of up to `limit` followers, `limit` lists and `limit` tag
/// followers that come after `after`. The first step includes the feed of the author. Existing
/// entries stay. Returns `None` if the fan-out is complete.
///
/// Runs two statements for the followers, two for the lists and two for each followed hashtag.
pub fn fan_out(
    tx: &mut Tx<'_>,
    status: StatusId,
    after: FanOutProgress,
    limit: i64,
) -> Result<Option<FanOutProgress>> {
    advisory_lock(tx, "pg_advisory_xact_lock_shared")?;
    let is_first = after == FanOutProgress::default();
    // The lock makes sure that a deletion of the status finds all feeds that contain it.
    if !is_first && !lock_against_deletion(tx, status)? {
        return Ok(None);
    }
    let Some(step) = Step::load(tx, status, limit)? else { return Ok(None) };
    if is_first {
        step.insert(tx, OWN, 0, i64::MAX, None)?;
    }
    let follow = step.followers(tx, after.follow)?;
    let list = step.lists(tx, after.list)?;
    let fan = step.tag_followers(tx, after.fan)?;
    if follow.is_none() && list.is_none() && fan.is_none() {
        return Ok(None);
    }
    // What is complete must not begin again.
    Ok(Some(FanOutProgress {
        follow: follow.or(Some(FollowId::new(i64::MAX))),
        list: list.or(Some(ListId::new(i64::MAX))),
        fan: fan.or(Some((TagId::new(i64::MAX), TagFollowId::new(i64::MAX)))),
    }))
}

/// One step of a fan-out.
struct Step {
    status: StatusId,
    author: AccountId,
    is_public_original: bool,
    limit: i64,
}

impl Step {
    fn load(conn: &mut Conn, status: StatusId, limit: i64) -> Result<Option<Self>> {
        let row: Option<(AccountId, i16, Option<StatusId>)> = statuses::table
            .find(status)
            .select((statuses::account_id, statuses::visibility, statuses::reblog_of_id))
            .first(conn)
            .optional()?;
        Ok(row.map(|(author, visibility, reblog_of)| {
            let is_public = Visibility::from_number(visibility) == Visibility::Public;
            Self { status, author, is_public_original: is_public && reblog_of.is_none(), limit }
        }))
    }

    /// Inserts the status into feeds of followers after the follow `after`. Returns the last follow
    /// if there may be more.
    fn followers(&self, tx: &mut Tx<'_>, after: Option<FollowId>) -> Result<Option<FollowId>> {
        let after = after.unwrap_or(FollowId::new(0));
        let last: Option<FollowId> = follows::table
            .filter(follows::target_account_id.eq(self.author))
            .filter(follows::id.gt(after))
            .order(follows::id)
            .offset(self.limit - 1)
            .select(follows::id)
            .first(&mut **tx)
            .optional()?;
        let upto = last.map_or(i64::MAX, FollowId::get);
        self.insert(tx, FOLLOWERS, after.get(), upto, None)?;
        Ok(last)
    }

    /// Inserts the status into feeds of lists after `after`. Returns the last list if there may be
    /// more.
    fn lists(&self, tx: &mut Tx<'_>, after: Option<ListId>) -> Result<Option<ListId>> {
        let after = after.unwrap_or(ListId::new(0));
        let last: Option<ListId> = list_accounts::table
            .filter(list_accounts::account_id.eq(self.author))
            .filter(list_accounts::list_id.gt(after))
            .order(list_accounts::list_id)
            .offset(self.limit - 1)
            .select(list_accounts::list_id)
            .first(&mut **tx)
            .optional()?;
        let upto = last.map_or(i64::MAX, ListId::get);
        self.insert(tx, LISTS, after.get(), upto, None)?;
        Ok(last)
    }

    /// Inserts the status into feeds of tag followers, one hashtag after the other, until `limit`
    /// is reached. Returns the last hashtag and the last follow of it if there may be more.
    fn tag_followers(
        &self,
        tx: &mut Tx<'_>,
        after: Option<(TagId, TagFollowId)>,
    ) -> Result<Option<(TagId, TagFollowId)>> {
        let (first, after) = after.unwrap_or((TagId::new(0), TagFollowId::new(0)));
        let mut left = self.limit;
        for tag in self.followed_tags(tx)?.into_iter().filter(|tag| *tag >= first) {
            let begin = if tag == first { after } else { TagFollowId::new(0) };
            if left <= 0 {
                return Ok(Some((tag, begin)));
            }
            let last: Option<TagFollowId> = tag_follows::table
                .filter(tag_follows::tag_id.eq(tag))
                .filter(tag_follows::id.gt(begin))
                .order(tag_follows::id)
                .offset(left - 1)
                .select(tag_follows::id)
                .first(&mut **tx)
                .optional()?;
            let upto = last.map_or(i64::MAX, TagFollowId::get);
            let inserted = self.insert(tx, TAG_FOLLOWERS, begin.get(), upto, Some(tag))?;
            if let Some(last) = last {
                return Ok(Some((tag, last)));
            }
            left -= i64::try_from(inserted).unwrap_or(i64::MAX);
        }
        Ok(None)
    }

    /// Loads the hashtags of the status that have followers, in the order of their ids.
    fn followed_tags(&self, conn: &mut Conn) -> Result<Vec<TagId>> {
        if !self.is_public_original {
            return Ok(Vec::new());
        }
        let followed = tag_follows::table.filter(tag_follows::tag_id.eq(statuses_tags::tag_id));
        Ok(statuses_tags::table
            .filter(statuses_tags::status_id.eq(self.status))
            .filter(row_exists!(followed))
            .order(statuses_tags::tag_id)
            .select(statuses_tags::tag_id)
            .load(conn)?)
    }

    /// Inserts the status into the feeds that `receivers` selects, with a key above `after` and up
    /// to `upto`. Returns the number of new entries.
    fn insert(
        &self,
        tx: &mut Tx<'_>,
        Receivers { tables, condition }: Receivers,
        after: i64,
        upto: i64,
        tag: Option<TagId>,
    ) -> Result<usize> {
        // Stages 0 (stale) and 3 (dropped) take no entries.
        let query = sql_query(format!(
            "INSERT INTO feed_entries (feed_id, status_id, reblog_of_id, account_id)
             SELECT feeds.feed_id, statuses.id, statuses.reblog_of_id, statuses.account_id
             FROM statuses {tables} CROSS JOIN feeds
             WHERE statuses.id = $1 AND {condition} AND feeds.stage NOT IN (0, 3)
             ON CONFLICT DO NOTHING"
        ))
        .bind::<BigInt, _>(self.status)
        .bind::<BigInt, _>(after)
        .bind::<BigInt, _>(upto)
        .bind::<Nullable<BigInt>, _>(tag);
        Ok(each!(&mut **tx, conn => prepared(query).execute(conn))?)
    }
}

/// Part of a query that selects the feeds which receive a status: the tables between `statuses` and
/// `feeds`, and the condition. CROSS JOIN makes SQLite read the tables in this order. SQLite
/// numbers parameters by their first use, so `$2` and `$3` (bounds of the key) precede `$4` (the
/// hashtag).
#[derive(Clone, Copy)]
struct Receivers {
    tables: &'static str,
    condition: &'static str,
}

/// The home feed of the author.
const OWN: Receivers = Receivers {
    tables: "",
    condition: "feeds.feed_id > $2 AND feeds.feed_id <= $3 AND $4 IS NULL
        AND feeds.feed_id = statuses.account_id",
};

/// Home feeds of followers: no reblogs that the follow leaves out, no direct statuses (3) that do
/// not mention the follower, no replies to accounts that the follower does not follow.
const FOLLOWERS: Receivers = Receivers {
    tables: "CROSS JOIN follows",
    condition: "follows.id > $2 AND follows.id <= $3 AND $4 IS NULL
        AND follows.target_account_id = statuses.account_id
        AND feeds.feed_id = follows.account_id
        AND (statuses.reblog_of_id IS NULL OR follows.show_reblogs)
        AND (statuses.visibility <> 3 OR EXISTS (
            SELECT 1 FROM mentions
            WHERE mentions.status_id = statuses.id AND mentions.account_id = follows.account_id
        ))
        AND (statuses.in_reply_to_id IS NULL
            OR statuses.in_reply_to_account_id IN (statuses.account_id, follows.account_id)
            OR EXISTS (
                SELECT 1 FROM follows AS of_parent WHERE of_parent.account_id = follows.account_id
                AND of_parent.target_account_id = statuses.in_reply_to_account_id
            ))",
};

/// Feeds of lists with the author as a member, with the same conditions for the owner, and with
/// replies as the policy of the list says: 0 to followed accounts, 1 to members.
const LISTS: Receivers = Receivers {
    tables: "CROSS JOIN list_accounts CROSS JOIN lists CROSS JOIN follows",
    condition: "list_accounts.list_id > $2 AND list_accounts.list_id <= $3 AND $4 IS NULL
        AND list_accounts.account_id = statuses.account_id
        AND lists.id = list_accounts.list_id AND follows.id = list_accounts.follow_id
        AND feeds.feed_id = lists.id
        AND (statuses.reblog_of_id IS NULL OR follows.show_reblogs)
        AND (statuses.visibility <> 3 OR EXISTS (
            SELECT 1 FROM mentions
            WHERE mentions.status_id = statuses.id AND mentions.account_id = lists.account_id
        ))
        AND (statuses.in_reply_to_id IS NULL
            OR statuses.in_reply_to_account_id IN (statuses.account_id, lists.account_id)
            OR lists.replies_policy = 0 AND EXISTS (
                SELECT 1 FROM follows AS of_parent WHERE of_parent.account_id = lists.account_id
                AND of_parent.target_account_id = statuses.in_reply_to_account_id
            )
            OR lists.replies_policy = 1 AND EXISTS (
                SELECT 1 FROM list_accounts AS members WHERE members.list_id = lists.id
                AND members.account_id = statuses.in_reply_to_account_id
            ))",
};

/// Home feeds of followers of a hashtag.
const TAG_FOLLOWERS: Receivers = Receivers {
    tables: "CROSS JOIN tag_follows",
    condition: "tag_follows.id > $2 AND tag_follows.id <= $3 AND tag_follows.tag_id = $4
        AND feeds.feed_id = tag_follows.account_id",
};
