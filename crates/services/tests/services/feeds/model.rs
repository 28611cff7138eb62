//! Naive model of timelines. Follows are a set, statuses are a list, and every rule of home, lists
//! and hashtags is applied to every status.

use std::collections::{BTreeMap, BTreeSet};

use siskin_entities::{RepliesPolicy, Visibility};
use siskin_ids::{ListId, StatusId};

/// Account, by number.
pub type AccountIndex = usize;

/// Status or reblog.
#[derive(Debug, Clone)]
pub struct Post {
    pub id: StatusId,
    pub author: AccountIndex,
    pub visibility: Visibility,
    /// Mentioned accounts.
    pub mentioned: BTreeSet<AccountIndex>,
    /// Accounts that are or were mentioned. The status stays visible to them.
    pub ever_mentioned: BTreeSet<AccountIndex>,
    pub tags: BTreeSet<String>,
    /// Author of the parent.
    pub answers: Option<AccountIndex>,
    /// Index of the reblogged status.
    pub reblog_of: Option<usize>,
    pub is_there: bool,
}

/// List with its members.
#[derive(Debug, Clone)]
pub struct List {
    pub id: ListId,
    pub owner: AccountIndex,
    pub members: BTreeSet<AccountIndex>,
    pub policy: RepliesPolicy,
    pub exclusive: bool,
}

/// Complete state.
#[derive(Debug, Default)]
pub struct Model {
    /// Key: follower and followed account. Value: whether reblogs are shown.
    pub follows: BTreeMap<(AccountIndex, AccountIndex), bool>,
    pub mutes: BTreeSet<(AccountIndex, AccountIndex)>,
    pub blocks: BTreeSet<(AccountIndex, AccountIndex)>,
    pub tag_follows: BTreeSet<(AccountIndex, String)>,
    pub lists: Vec<List>,
    /// Suspended accounts.
    pub suspended: BTreeSet<AccountIndex>,
    /// Silenced accounts.
    pub limited: BTreeSet<AccountIndex>,
    /// In the order of publication.
    pub posts: Vec<Post>,
}

impl Model {
    pub fn unfollow(&mut self, from: AccountIndex, to: AccountIndex) {
        self.follows.remove(&(from, to));
        for list in self.lists.iter_mut().filter(|list| list.owner == from) {
            list.members.remove(&to);
        }
    }

    pub fn block(&mut self, from: AccountIndex, to: AccountIndex) {
        self.unfollow(from, to);
        self.unfollow(to, from);
        self.blocks.insert((from, to));
    }

    pub fn delete(&mut self, index: usize) {
        self.posts[index].is_there = false;
        for post in self.posts.iter_mut().filter(|post| post.reblog_of == Some(index)) {
            post.is_there = false;
        }
    }

    pub fn may_see(&self, viewer: AccountIndex, post: &Post) -> bool {
        let Post { author, visibility, .. } = *post;
        let is_open = match visibility {
            Visibility::Public | Visibility::Unlisted => true,
            Visibility::Private => self.follows.contains_key(&(viewer, author)),
            Visibility::Direct => false,
        };
        author == viewer
            || (!self.blocks.contains(&(author, viewer))
                && !self.suspended.contains(&author)
                && (is_open || post.ever_mentioned.contains(&viewer)))
    }

    fn wants_to_see(&self, viewer: AccountIndex, other: AccountIndex) -> bool {
        !self.blocks.contains(&(viewer, other)) && !self.mutes.contains(&(viewer, other))
    }

    fn shown<'m>(&'m self, post: &'m Post) -> &'m Post {
        post.reblog_of.map_or(post, |index| &self.posts[index])
    }

    /// Returns `true` if the post and its reblogged status exist, are visible to `viewer`, and have
    /// no author that `viewer` blocks or mutes.
    fn passes_blocks(&self, viewer: AccountIndex, post: &Post) -> bool {
        [post, self.shown(post)].into_iter().all(|post| {
            post.is_there && self.may_see(viewer, post) && self.wants_to_see(viewer, post.author)
        })
    }

    fn mentions_unwanted(&self, viewer: AccountIndex, post: &Post) -> bool {
        self.shown(post).mentioned.iter().any(|other| !self.wants_to_see(viewer, *other))
    }

    fn allows_reblog(&self, viewer: AccountIndex, post: &Post) -> bool {
        let reblogs = self.follows.get(&(viewer, post.author));
        reblogs.is_some_and(|reblogs| *reblogs || post.reblog_of.is_none())
    }

    /// Returns `true` if home shows the post. Ignores the rule that hides reblogs of a status that
    /// is nearby.
    pub fn is_at_home(&self, viewer: AccountIndex, post: &Post) -> bool {
        let answers = |other: AccountIndex| {
            other == post.author || other == viewer || self.follows.contains_key(&(viewer, other))
        };
        let by_follow = self.allows_reblog(viewer, post) && post.answers.is_none_or(answers);
        let follows_tag = |tag: &String| self.tag_follows.contains(&(viewer, tag.clone()));
        let by_tag = post.visibility == Visibility::Public
            && post.reblog_of.is_none()
            && post.tags.iter().any(follows_tag)
            && self.is_listed(viewer, post.author);
        let elsewhere = self.lists.iter().any(|list| {
            list.owner == viewer && list.exclusive && list.members.contains(&post.author)
        });
        let of_others =
            (by_follow || by_tag) && !elsewhere && !self.mentions_unwanted(viewer, post);
        self.passes_blocks(viewer, post) && (post.author == viewer || of_others)
    }

    /// Returns `true` if the list shows the post, with the same exception.
    pub fn is_in(&self, list: &List, post: &Post) -> bool {
        let viewer = list.owner;
        let answers = |other: AccountIndex| {
            other == post.author
                || other == viewer
                || match list.policy {
                    RepliesPolicy::Followed => self.follows.contains_key(&(viewer, other)),
                    RepliesPolicy::List => list.members.contains(&other),
                    RepliesPolicy::None => false,
                }
        };
        self.passes_blocks(viewer, post)
            && list.members.contains(&post.author)
            && self.allows_reblog(viewer, post)
            && post.answers.is_none_or(answers)
            && !self.mentions_unwanted(viewer, post)
    }

    /// Returns `true` if public timelines show the author to `viewer`. A silenced author is shown
    /// to followers only.
    fn is_listed(&self, viewer: AccountIndex, author: AccountIndex) -> bool {
        !self.limited.contains(&author)
            || author == viewer
            || self.follows.contains_key(&(viewer, author))
    }

    /// Returns `true` if the timeline of the hashtag shows the post.
    pub fn has_tag(&self, viewer: AccountIndex, tag: &str, post: &Post) -> bool {
        post.visibility == Visibility::Public
            && post.reblog_of.is_none()
            && post.tags.contains(tag)
            && self.passes_blocks(viewer, post)
            && self.is_listed(viewer, post.author)
    }

    /// Returns `true` if the public timeline shows the post.
    pub fn is_public(&self, viewer: AccountIndex, post: &Post) -> bool {
        post.visibility == Visibility::Public
            && post.reblog_of.is_none()
            && post.answers.is_none_or(|other| other == post.author)
            && self.passes_blocks(viewer, post)
            && self.is_listed(viewer, post.author)
    }

    /// Returns `true` if the profile of `other` shows the post. There, mutes and blocks apply only
    /// to reblogged statuses. The profile of a suspended account is empty.
    pub fn is_on_profile(&self, viewer: AccountIndex, other: AccountIndex, post: &Post) -> bool {
        let inner = self.shown(post);
        let inner_is_welcome = post.reblog_of.is_none()
            || (self.may_see(viewer, inner) && self.wants_to_see(viewer, inner.author));
        post.author == other
            && post.is_there
            && !self.suspended.contains(&other)
            && self.may_see(viewer, post)
            && inner_is_welcome
    }

    /// Returns the indices of the posts that `rule` allows, the newest first.
    pub fn indices(&self, rule: impl Fn(&Post) -> bool) -> Vec<usize> {
        (0..self.posts.len()).rev().filter(|index| rule(&self.posts[*index])).collect()
    }

    /// Compares a shown timeline with the expected one. Both must have the same statuses in the
    /// same order. A reblog may be missing if the same status stands below it in the shown
    /// timeline.
    pub fn check(&self, what: &str, shown: &[StatusId], rule: impl Fn(&Post) -> bool) {
        let shown_ids: BTreeSet<StatusId> = shown.iter().copied().collect();
        let mut shown = shown.iter().peekable();
        for index in self.indices(rule) {
            let post = &self.posts[index];
            if shown.next_if(|id| **id == post.id).is_some() {
                continue;
            }
            let is_shown_below = post.reblog_of.is_some_and(|of| {
                let again = |before: &Post| before.reblog_of == Some(of);
                let mut same = self.posts[..index].iter().filter(|before| again(before));
                shown_ids.contains(&self.posts[of].id)
                    || same.any(|before| shown_ids.contains(&before.id))
            });
            assert!(is_shown_below, "{what} lacks {post:?}");
        }
        assert_eq!(shown.next(), None, "{what} has unexpected entries");
    }
}
