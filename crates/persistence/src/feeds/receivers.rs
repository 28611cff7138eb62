//! Finds the feeds that get a status: those of the author, of followers, of lists and of tag
//! followers.
//!
//! If the [fast path](Plain) applies, the full rule of the timeline is checked only for some
//! viewers. For all others, the conditions in this module are sufficient.

use diesel::{prelude::*, sql_types::Bool};
use siskin_entities::{RepliesPolicy, Timestamp, feed::FeedStage};
use siskin_ids::{AccountId, FollowId, ListId, StatusId, TagFollowId, TagId};

use super::plain::Plain;
use crate::{
    Conn, Result,
    among::IdExpression as _,
    schema::{feeds, follows, list_accounts, lists, statuses, statuses_tags, tag_follows},
    statuses::finds,
    timelines::shown::{at_home, in_list, lets_through, with_reblogged},
};

diesel::alias!(
    follows as audience: Audience,
    follows as answered: Answered,
    tag_follows as fans: Fans,
    list_accounts as listed: Listed,
    list_accounts as mates: Mates,
    lists as theirs: Theirs,
);

/// A status in fan-out, with up to `limit` receivers of each kind per step.
pub(super) struct Delivery {
    pub(super) status: StatusId,
    pub(super) now: Timestamp,
    pub(super) limit: i64,
    pub(super) plain: Option<Plain>,
}

/// `true` if the current feed is ready or being built.
macro_rules! is_receiving {
    () => {
        feeds::stage.ne(FeedStage::Stale.number()).and(feeds::stage.ne(FeedStage::Dropped.number()))
    };
}

pub(super) use is_receiving;

/// `true` if `reader` is the parent's author of a fast-path status, or follows that author.
macro_rules! knows_addressee {
    ($plain:expr, $reader:expr) => {{
        let addressee = $plain.answers.unwrap_or(AccountId::new(0));
        $reader.eq(addressee).or(finds!(
            answered
                .filter(answered.field(follows::account_id).eq($reader))
                .filter(answered.field(follows::target_account_id).eq(addressee)),
        ))
    }};
}

/// `true` if the owner of the current feed needs the full check. `None` stands for all owners.
macro_rules! is_asked {
    ($doubted:expr) => {{
        let doubted: Option<&[AccountId]> = $doubted;
        let everybody = doubted.is_none().into_sql::<Bool>();
        everybody.or(feeds::account_id.among(doubted.unwrap_or_default()))
    }};
}

impl Delivery {
    /// Returns the viewers that need the full check. `None` stands for all viewers.
    fn doubted(&self) -> Option<&[AccountId]> {
        self.plain.as_ref().map(|plain| plain.doubted.as_slice())
    }

    /// Returns the first `limit` receivers: those from the fast-path query `plain`, and those from
    /// the full query `asked` if any viewer needs it.
    fn found<K: Ord>(
        &self,
        conn: &mut Conn,
        limit: i64,
        plain: impl FnOnce(&mut Conn, &Plain) -> Result<Vec<(K, i64)>>,
        asked: impl FnOnce(&mut Conn) -> Result<Vec<(K, i64)>>,
    ) -> Result<Vec<(K, i64)>> {
        let mut found = match &self.plain {
            Some(status) => plain(conn, status)?,
            None => Vec::new(),
        };
        if self.doubted().is_none_or(|doubted| !doubted.is_empty()) {
            found.extend(asked(conn)?);
        }
        found.sort_unstable();
        found.truncate(usize::try_from(limit).unwrap_or(0));
        Ok(found)
    }

    /// Returns the feed of the author if it shows the status.
    pub(super) fn own(&self, conn: &mut Conn) -> Result<Option<i64>> {
        if let Some(plain) = &self.plain
            && !plain.doubted.contains(&plain.author)
        {
            return Ok(Some(plain.author.get()));
        }
        Ok(with_reblogged!()
            .inner_join(feeds::table.on(feeds::feed_id.eq(statuses::account_id)))
            .filter(statuses::id.eq(self.status))
            .filter(is_receiving!())
            .filter(at_home!(feeds::account_id, self.now))
            .select(feeds::feed_id)
            .first(conn)
            .optional()?)
    }

    /// Finds the feeds of followers with a follow after `after`, in the order of the follows.
    pub(super) fn followers(
        &self,
        conn: &mut Conn,
        after: FollowId,
    ) -> Result<Vec<(FollowId, i64)>> {
        self.found(
            conn,
            self.limit,
            |conn, plain| self.plain_followers(conn, plain, after),
            |conn| self.asked_followers(conn, after),
        )
    }

    fn plain_followers(
        &self,
        conn: &mut Conn,
        plain: &Plain,
        after: FollowId,
    ) -> Result<Vec<(FollowId, i64)>> {
        let answers_nobody = plain.answers.is_none().into_sql::<Bool>();
        Ok(with_reblogged!()
            .inner_join(follows::table.on(follows::target_account_id.eq(statuses::account_id)))
            .inner_join(feeds::table.on(feeds::feed_id.eq(follows::account_id)))
            .filter(statuses::id.eq(self.status))
            .filter(follows::target_account_id.eq(plain.author))
            .filter(follows::id.gt(after))
            .filter(is_receiving!())
            .filter(feeds::account_id.not_among(&plain.doubted))
            .filter(lets_through!())
            .filter(answers_nobody.or(knows_addressee!(plain, feeds::account_id)))
            .order(follows::id)
            .limit(self.limit)
            .select((follows::id, feeds::feed_id))
            .load(conn)?)
    }

    fn asked_followers(&self, conn: &mut Conn, after: FollowId) -> Result<Vec<(FollowId, i64)>> {
        let (follow, follower) = (audience.field(follows::id), audience.field(follows::account_id));
        let followed = audience.field(follows::target_account_id);
        Ok(with_reblogged!()
            .inner_join(audience.on(followed.eq(statuses::account_id)))
            .inner_join(feeds::table.on(feeds::feed_id.eq(follower)))
            .filter(statuses::id.eq(self.status))
            .filter(is_receiving!())
            .filter(is_asked!(self.doubted()))
            .filter(follow.gt(after))
            .filter(at_home!(feeds::account_id, self.now))
            .order(follow)
            .limit(self.limit)
            .select((follow, feeds::feed_id))
            .load(conn)?)
    }

    /// Finds the lists after `after` that get the status, in the order of their ids.
    pub(super) fn lists(&self, conn: &mut Conn, after: ListId) -> Result<Vec<(ListId, i64)>> {
        self.found(
            conn,
            self.limit,
            |conn, plain| self.plain_lists(conn, plain, after),
            |conn| self.asked_lists(conn, after),
        )
    }

    fn plain_lists(
        &self,
        conn: &mut Conn,
        plain: &Plain,
        after: ListId,
    ) -> Result<Vec<(ListId, i64)>> {
        let answers_nobody = plain.answers.is_none().into_sql::<Bool>();
        let policy = lists::replies_policy;
        let addressee = plain.answers.unwrap_or(AccountId::new(0));
        let answers_member = finds!(
            mates
                .filter(mates.field(list_accounts::list_id).eq(lists::id))
                .filter(mates.field(list_accounts::account_id).eq(addressee)),
        );
        let is_wanted_reply = feeds::account_id
            .eq(addressee)
            .or(policy
                .eq(RepliesPolicy::Followed.number())
                .and(knows_addressee!(plain, feeds::account_id)))
            .or(policy.eq(RepliesPolicy::List.number()).and(answers_member));
        Ok(with_reblogged!()
            .inner_join(list_accounts::table.on(list_accounts::account_id.eq(statuses::account_id)))
            .inner_join(lists::table.on(lists::id.eq(list_accounts::list_id)))
            .inner_join(follows::table.on(follows::id.eq(list_accounts::follow_id)))
            .inner_join(feeds::table.on(feeds::feed_id.eq(lists::id)))
            .filter(statuses::id.eq(self.status))
            .filter(list_accounts::account_id.eq(plain.author))
            .filter(list_accounts::list_id.gt(after))
            .filter(is_receiving!())
            .filter(feeds::account_id.not_among(&plain.doubted))
            .filter(lets_through!())
            .filter(answers_nobody.or(is_wanted_reply))
            .order(list_accounts::list_id)
            .limit(self.limit)
            .select((list_accounts::list_id, feeds::feed_id))
            .load(conn)?)
    }

    fn asked_lists(&self, conn: &mut Conn, after: ListId) -> Result<Vec<(ListId, i64)>> {
        let (list, member) = (theirs.field(lists::id), listed.field(list_accounts::account_id));
        let policy = theirs.field(lists::replies_policy);
        Ok(with_reblogged!()
            .inner_join(listed.on(member.eq(statuses::account_id)))
            .inner_join(theirs.on(list.eq(listed.field(list_accounts::list_id))))
            .inner_join(feeds::table.on(feeds::feed_id.eq(list)))
            .filter(statuses::id.eq(self.status))
            .filter(is_receiving!())
            .filter(is_asked!(self.doubted()))
            .filter(list.gt(after))
            .filter(in_list!(feeds::account_id, self.now, list: feeds::feed_id, policy: policy))
            .order(list)
            .limit(self.limit)
            .select((list, feeds::feed_id))
            .load(conn)?)
    }

    /// Loads the hashtags of the status that have followers, in the order of their ids.
    pub(super) fn tags(&self, conn: &mut Conn) -> Result<Vec<TagId>> {
        if self.plain.as_ref().is_some_and(|plain| !plain.by_tag) {
            return Ok(Vec::new());
        }
        let followed = tag_follows::table.filter(tag_follows::tag_id.eq(statuses_tags::tag_id));
        Ok(statuses_tags::table
            .filter(statuses_tags::status_id.eq(self.status))
            .filter(finds!(followed))
            .order(statuses_tags::tag_id)
            .select(statuses_tags::tag_id)
            .load(conn)?)
    }

    /// Finds the feeds of up to `limit` followers of this hashtag after the follow `after`, in the
    /// order of the follows.
    pub(super) fn fans(
        &self,
        conn: &mut Conn,
        tag: TagId,
        after: TagFollowId,
        limit: i64,
    ) -> Result<Vec<(TagFollowId, i64)>> {
        self.found(
            conn,
            limit,
            |conn, plain| plain_fans(conn, plain, tag, after, limit),
            |conn| self.asked_fans(conn, tag, after, limit),
        )
    }

    fn asked_fans(
        &self,
        conn: &mut Conn,
        tag: TagId,
        after: TagFollowId,
        limit: i64,
    ) -> Result<Vec<(TagFollowId, i64)>> {
        let (follow, fan) = (fans.field(tag_follows::id), fans.field(tag_follows::account_id));
        Ok(with_reblogged!()
            .inner_join(fans.on(fans.field(tag_follows::tag_id).eq(tag)))
            .inner_join(feeds::table.on(feeds::feed_id.eq(fan)))
            .filter(statuses::id.eq(self.status))
            .filter(is_receiving!())
            .filter(is_asked!(self.doubted()))
            .filter(follow.gt(after))
            .filter(at_home!(feeds::account_id, self.now))
            .order(follow)
            .limit(limit)
            .select((follow, feeds::feed_id))
            .load(conn)?)
    }
}

fn plain_fans(
    conn: &mut Conn,
    plain: &Plain,
    tag: TagId,
    after: TagFollowId,
    limit: i64,
) -> Result<Vec<(TagFollowId, i64)>> {
    Ok(tag_follows::table
        .inner_join(feeds::table.on(feeds::feed_id.eq(tag_follows::account_id)))
        .filter(tag_follows::tag_id.eq(tag))
        .filter(tag_follows::id.gt(after))
        .filter(is_receiving!())
        .filter(feeds::account_id.not_among(&plain.doubted))
        .order(tag_follows::id)
        .limit(limit)
        .select((tag_follows::id, feeds::feed_id))
        .load(conn)?)
}
