//! Finds the feeds that get a status: those of the author, of followers, of lists and of tag
//! followers.
//!
//! If the [fast path](FastPath) applies, the full rule of the timeline is checked only for some
//! viewers. For all others, the conditions in this module are sufficient.

use diesel::{prelude::*, sql_types::Bool};
use siskin_entities::{RepliesPolicy, Timestamp, feed::FeedStage};
use siskin_ids::{AccountId, FollowId, ListId, StatusId, TagFollowId, TagId};

use super::fast_path::FastPath;
use crate::{
    Conn, Result,
    equals_any::IdExpression as _,
    schema::{feeds, follows, list_accounts, lists, statuses, statuses_tags, tag_follows},
    statuses::row_exists,
    timelines::rules::{follow_includes, in_home, in_list, with_reblogged},
};

diesel::alias!(
    follows as followers_of_author: FollowersOfAuthor,
    follows as parent_follows: ParentFollows,
    tag_follows as tag_followers: TagFollowers,
    list_accounts as memberships: Memberships,
    list_accounts as members: Members,
    lists as owner_lists: OwnerLists,
);

/// A status in fan-out, with up to `limit` receivers of each kind per step.
pub(super) struct FanOut {
    pub(super) status: StatusId,
    pub(super) now: Timestamp,
    pub(super) limit: i64,
    pub(super) fast_path: Option<FastPath>,
}

/// `true` if the current feed is ready or being built.
macro_rules! accepts_entries {
    () => {
        feeds::stage.ne(FeedStage::Stale.number()).and(feeds::stage.ne(FeedStage::Dropped.number()))
    };
}

pub(super) use accepts_entries;

/// `true` if `viewer` is the parent's author of a fast-path status, or follows that author.
macro_rules! is_or_follows_parent_author {
    ($fast_path:expr, $viewer:expr) => {{
        let parent_author_id = $fast_path.parent_author.unwrap_or(AccountId::new(0));
        $viewer.eq(parent_author_id).or(row_exists!(
            parent_follows
                .filter(parent_follows.field(follows::account_id).eq($viewer))
                .filter(parent_follows.field(follows::target_account_id).eq(parent_author_id)),
        ))
    }};
}

/// `true` if the owner of the current feed needs the full check. `None` stands for all owners.
macro_rules! needs_check {
    ($to_check:expr) => {{
        let to_check: Option<&[AccountId]> = $to_check;
        let all_owners = to_check.is_none().into_sql::<Bool>();
        all_owners.or(feeds::account_id.equals_any(to_check.unwrap_or_default()))
    }};
}

impl FanOut {
    /// Returns the viewers that need the full check. `None` stands for all viewers.
    fn to_check(&self) -> Option<&[AccountId]> {
        self.fast_path.as_ref().map(|fast_path| fast_path.to_check.as_slice())
    }

    /// Returns the first `limit` receivers: those from the fast-path query `fast_path`, and those
    /// from the full query `full_query` if any viewer needs it.
    fn first_receivers<K: Ord>(
        &self,
        conn: &mut Conn,
        limit: i64,
        fast_path: impl FnOnce(&mut Conn, &FastPath) -> Result<Vec<(K, i64)>>,
        full_query: impl FnOnce(&mut Conn) -> Result<Vec<(K, i64)>>,
    ) -> Result<Vec<(K, i64)>> {
        let mut first_receivers = match &self.fast_path {
            Some(status) => fast_path(conn, status)?,
            None => Vec::new(),
        };
        if self.to_check().is_none_or(|to_check| !to_check.is_empty()) {
            first_receivers.extend(full_query(conn)?);
        }
        first_receivers.sort_unstable();
        first_receivers.truncate(usize::try_from(limit).unwrap_or(0));
        Ok(first_receivers)
    }

    /// Returns the feed of the author if it shows the status.
    pub(super) fn own(&self, conn: &mut Conn) -> Result<Option<i64>> {
        if let Some(fast_path) = &self.fast_path
            && !fast_path.to_check.contains(&fast_path.author)
        {
            return Ok(Some(fast_path.author.get()));
        }
        Ok(with_reblogged!()
            .inner_join(feeds::table.on(feeds::feed_id.eq(statuses::account_id)))
            .filter(statuses::id.eq(self.status))
            .filter(accepts_entries!())
            .filter(in_home!(feeds::account_id, self.now))
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
        self.first_receivers(
            conn,
            self.limit,
            |conn, fast_path| self.fast_followers(conn, fast_path, after),
            |conn| self.checked_followers(conn, after),
        )
    }

    fn fast_followers(
        &self,
        conn: &mut Conn,
        fast_path: &FastPath,
        after: FollowId,
    ) -> Result<Vec<(FollowId, i64)>> {
        let is_no_reply = fast_path.parent_author.is_none().into_sql::<Bool>();
        Ok(with_reblogged!()
            .inner_join(follows::table.on(follows::target_account_id.eq(statuses::account_id)))
            .inner_join(feeds::table.on(feeds::feed_id.eq(follows::account_id)))
            .filter(statuses::id.eq(self.status))
            .filter(follows::target_account_id.eq(fast_path.author))
            .filter(follows::id.gt(after))
            .filter(accepts_entries!())
            .filter(feeds::account_id.equals_none(&fast_path.to_check))
            .filter(follow_includes!())
            .filter(is_no_reply.or(is_or_follows_parent_author!(fast_path, feeds::account_id)))
            .order(follows::id)
            .limit(self.limit)
            .select((follows::id, feeds::feed_id))
            .load(conn)?)
    }

    fn checked_followers(&self, conn: &mut Conn, after: FollowId) -> Result<Vec<(FollowId, i64)>> {
        let (follow, follower) = (
            followers_of_author.field(follows::id),
            followers_of_author.field(follows::account_id),
        );
        let followed = followers_of_author.field(follows::target_account_id);
        Ok(with_reblogged!()
            .inner_join(followers_of_author.on(followed.eq(statuses::account_id)))
            .inner_join(feeds::table.on(feeds::feed_id.eq(follower)))
            .filter(statuses::id.eq(self.status))
            .filter(accepts_entries!())
            .filter(needs_check!(self.to_check()))
            .filter(follow.gt(after))
            .filter(in_home!(feeds::account_id, self.now))
            .order(follow)
            .limit(self.limit)
            .select((follow, feeds::feed_id))
            .load(conn)?)
    }

    /// Finds the lists after `after` that get the status, in the order of their ids.
    pub(super) fn lists(&self, conn: &mut Conn, after: ListId) -> Result<Vec<(ListId, i64)>> {
        self.first_receivers(
            conn,
            self.limit,
            |conn, fast_path| self.fast_lists(conn, fast_path, after),
            |conn| self.checked_lists(conn, after),
        )
    }

    fn fast_lists(
        &self,
        conn: &mut Conn,
        fast_path: &FastPath,
        after: ListId,
    ) -> Result<Vec<(ListId, i64)>> {
        let is_no_reply = fast_path.parent_author.is_none().into_sql::<Bool>();
        let policy = lists::replies_policy;
        let parent_author_id = fast_path.parent_author.unwrap_or(AccountId::new(0));
        let is_reply_to_member = row_exists!(
            members
                .filter(members.field(list_accounts::list_id).eq(lists::id))
                .filter(members.field(list_accounts::account_id).eq(parent_author_id)),
        );
        let is_included_reply = feeds::account_id
            .eq(parent_author_id)
            .or(policy
                .eq(RepliesPolicy::Followed.number())
                .and(is_or_follows_parent_author!(fast_path, feeds::account_id)))
            .or(policy.eq(RepliesPolicy::List.number()).and(is_reply_to_member));
        Ok(with_reblogged!()
            .inner_join(list_accounts::table.on(list_accounts::account_id.eq(statuses::account_id)))
            .inner_join(lists::table.on(lists::id.eq(list_accounts::list_id)))
            .inner_join(follows::table.on(follows::id.eq(list_accounts::follow_id)))
            .inner_join(feeds::table.on(feeds::feed_id.eq(lists::id)))
            .filter(statuses::id.eq(self.status))
            .filter(list_accounts::account_id.eq(fast_path.author))
            .filter(list_accounts::list_id.gt(after))
            .filter(accepts_entries!())
            .filter(feeds::account_id.equals_none(&fast_path.to_check))
            .filter(follow_includes!())
            .filter(is_no_reply.or(is_included_reply))
            .order(list_accounts::list_id)
            .limit(self.limit)
            .select((list_accounts::list_id, feeds::feed_id))
            .load(conn)?)
    }

    fn checked_lists(&self, conn: &mut Conn, after: ListId) -> Result<Vec<(ListId, i64)>> {
        let (list, member) =
            (owner_lists.field(lists::id), memberships.field(list_accounts::account_id));
        let policy = owner_lists.field(lists::replies_policy);
        Ok(with_reblogged!()
            .inner_join(memberships.on(member.eq(statuses::account_id)))
            .inner_join(owner_lists.on(list.eq(memberships.field(list_accounts::list_id))))
            .inner_join(feeds::table.on(feeds::feed_id.eq(list)))
            .filter(statuses::id.eq(self.status))
            .filter(accepts_entries!())
            .filter(needs_check!(self.to_check()))
            .filter(list.gt(after))
            .filter(in_list!(feeds::account_id, self.now, list: feeds::feed_id, policy: policy))
            .order(list)
            .limit(self.limit)
            .select((list, feeds::feed_id))
            .load(conn)?)
    }

    /// Loads the hashtags of the status that have followers, in the order of their ids.
    pub(super) fn tags(&self, conn: &mut Conn) -> Result<Vec<TagId>> {
        if self.fast_path.as_ref().is_some_and(|fast_path| !fast_path.for_tag_followers) {
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

    /// Finds the feeds of up to `limit` followers of this hashtag after the follow `after`, in the
    /// order of the follows.
    pub(super) fn tag_followers(
        &self,
        conn: &mut Conn,
        tag: TagId,
        after: TagFollowId,
        limit: i64,
    ) -> Result<Vec<(TagFollowId, i64)>> {
        self.first_receivers(
            conn,
            limit,
            |conn, fast_path| fast_tag_followers(conn, fast_path, tag, after, limit),
            |conn| self.checked_tag_followers(conn, tag, after, limit),
        )
    }

    fn checked_tag_followers(
        &self,
        conn: &mut Conn,
        tag: TagId,
        after: TagFollowId,
        limit: i64,
    ) -> Result<Vec<(TagFollowId, i64)>> {
        let (follow, tag_follower) =
            (tag_followers.field(tag_follows::id), tag_followers.field(tag_follows::account_id));
        Ok(with_reblogged!()
            .inner_join(tag_followers.on(tag_followers.field(tag_follows::tag_id).eq(tag)))
            .inner_join(feeds::table.on(feeds::feed_id.eq(tag_follower)))
            .filter(statuses::id.eq(self.status))
            .filter(accepts_entries!())
            .filter(needs_check!(self.to_check()))
            .filter(follow.gt(after))
            .filter(in_home!(feeds::account_id, self.now))
            .order(follow)
            .limit(limit)
            .select((follow, feeds::feed_id))
            .load(conn)?)
    }
}

fn fast_tag_followers(
    conn: &mut Conn,
    fast_path: &FastPath,
    tag: TagId,
    after: TagFollowId,
    limit: i64,
) -> Result<Vec<(TagFollowId, i64)>> {
    Ok(tag_follows::table
        .inner_join(feeds::table.on(feeds::feed_id.eq(tag_follows::account_id)))
        .filter(tag_follows::tag_id.eq(tag))
        .filter(tag_follows::id.gt(after))
        .filter(accepts_entries!())
        .filter(feeds::account_id.equals_none(&fast_path.to_check))
        .order(tag_follows::id)
        .limit(limit)
        .select((tag_follows::id, feeds::feed_id))
        .load(conn)?)
}
