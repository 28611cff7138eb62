//! Naive model of timelines. Follows are a set, statuses are a list, and every rule of home, lists
//! and hashtags is applied to every status.

use std::collections::{BTreeMap, BTreeSet};

use siskin_entities::{RepliesPolicy, Visibility};
use siskin_ids::{ListId, StatusId};

/// Account, by number.
pub type Who = usize;

/// Status or reblog.
#[derive(Debug, Clone)]
pub struct Post {
    pub id: StatusId,
    pub author: Who,
    pub visibility: Visibility,
    /// Mentioned accounts.
    pub named: BTreeSet<Who>,
    /// Accounts that are or were mentioned. The status stays visible to them.
    pub ever_named: BTreeSet<Who>,
    pub tags: BTreeSet<String>,
    /// Author of the parent.
    pub answers: Option<Who>,
    /// Index of the reblogged status.
    pub reblog_of: Option<usize>,
    pub is_there: bool,
}

/// List with its members.
#[derive(Debug, Clone)]
pub struct List {
    pub id: ListId,
    pub owner: Who,
    pub members: BTreeSet<Who>,
    pub policy: RepliesPolicy,
    pub exclusive: bool,
}

/// Complete state.
#[derive(Debug, Default)]
pub struct Model {
    /// Key: follower and followed account. Value: whether reblogs are shown.
    pub follows: BTreeMap<(Who, Who), bool>,
    pub mutes: BTreeSet<(Who, Who)>,
    pub blocks: BTreeSet<(Who, Who)>,
    pub tag_follows: BTreeSet<(Who, String)>,
    pub lists: Vec<List>,
    /// Suspended accounts.
    pub suspended: BTreeSet<Who>,
    /// Silenced accounts.
    pub limited: BTreeSet<Who>,
    /// In the order of publication.
    pub posts: Vec<Post>,
}

impl Model {
    pub fn unfollow(&mut self, from: Who, to: Who) {
        self.follows.remove(&(from, to));
        for list in self.lists.iter_mut().filter(|list| list.owner == from) {
            list.members.remove(&to);
        }
    }

    pub fn block(&mut self, from: Who, to: Who) {
        self.unfollow(from, to);
        self.unfollow(to, from);
        self.blocks.insert((from, to));
    }

    pub fn delete(&mut self, place: usize) {
        self.posts[place].is_there = false;
        for post in self.posts.iter_mut().filter(|post| post.reblog_of == Some(place)) {
            post.is_there = false;
        }
    }

    pub fn may_see(&self, reader: Who, post: &Post) -> bool {
        let Post { author, visibility, .. } = *post;
        let is_open = match visibility {
            Visibility::Public | Visibility::Unlisted => true,
            Visibility::Private => self.follows.contains_key(&(reader, author)),
            Visibility::Direct => false,
        };
        author == reader
            || (!self.blocks.contains(&(author, reader))
                && !self.suspended.contains(&author)
                && (is_open || post.ever_named.contains(&reader)))
    }

    fn wants(&self, reader: Who, whom: Who) -> bool {
        !self.blocks.contains(&(reader, whom)) && !self.mutes.contains(&(reader, whom))
    }

    fn shown<'m>(&'m self, post: &'m Post) -> &'m Post {
        post.reblog_of.map_or(post, |place| &self.posts[place])
    }

    /// Returns `true` if the post and its reblogged status exist, are visible to `reader`, and have
    /// no author that `reader` blocks or mutes.
    fn is_welcome(&self, reader: Who, post: &Post) -> bool {
        [post, self.shown(post)].into_iter().all(|post| {
            post.is_there && self.may_see(reader, post) && self.wants(reader, post.author)
        })
    }

    fn names_unwanted(&self, reader: Who, post: &Post) -> bool {
        self.shown(post).named.iter().any(|whom| !self.wants(reader, *whom))
    }

    fn lets_through(&self, reader: Who, post: &Post) -> bool {
        let reblogs = self.follows.get(&(reader, post.author));
        reblogs.is_some_and(|reblogs| *reblogs || post.reblog_of.is_none())
    }

    /// Returns `true` if home shows the post. Ignores the rule that hides reblogs of a status that
    /// is nearby.
    pub fn is_at_home(&self, reader: Who, post: &Post) -> bool {
        let answers = |whom: Who| {
            whom == post.author || whom == reader || self.follows.contains_key(&(reader, whom))
        };
        let by_follow = self.lets_through(reader, post) && post.answers.is_none_or(answers);
        let follows_tag = |tag: &String| self.tag_follows.contains(&(reader, tag.clone()));
        let by_tag = post.visibility == Visibility::Public
            && post.reblog_of.is_none()
            && post.tags.iter().any(follows_tag)
            && self.is_listed(reader, post.author);
        let elsewhere = self.lists.iter().any(|list| {
            list.owner == reader && list.exclusive && list.members.contains(&post.author)
        });
        let of_others = (by_follow || by_tag) && !elsewhere && !self.names_unwanted(reader, post);
        self.is_welcome(reader, post) && (post.author == reader || of_others)
    }

    /// Returns `true` if the list shows the post, with the same exception.
    pub fn is_in(&self, list: &List, post: &Post) -> bool {
        let reader = list.owner;
        let answers = |whom: Who| {
            whom == post.author
                || whom == reader
                || match list.policy {
                    RepliesPolicy::Followed => self.follows.contains_key(&(reader, whom)),
                    RepliesPolicy::List => list.members.contains(&whom),
                    RepliesPolicy::None => false,
                }
        };
        self.is_welcome(reader, post)
            && list.members.contains(&post.author)
            && self.lets_through(reader, post)
            && post.answers.is_none_or(answers)
            && !self.names_unwanted(reader, post)
    }

    /// Returns `true` if public timelines show the author to `reader`. A silenced author is shown
    /// to followers only.
    fn is_listed(&self, reader: Who, author: Who) -> bool {
        !self.limited.contains(&author)
            || author == reader
            || self.follows.contains_key(&(reader, author))
    }

    /// Returns `true` if the timeline of the hashtag shows the post.
    pub fn has_tag(&self, reader: Who, tag: &str, post: &Post) -> bool {
        post.visibility == Visibility::Public
            && post.reblog_of.is_none()
            && post.tags.contains(tag)
            && self.is_welcome(reader, post)
            && self.is_listed(reader, post.author)
    }

    /// Returns `true` if the public timeline shows the post.
    pub fn is_public(&self, reader: Who, post: &Post) -> bool {
        post.visibility == Visibility::Public
            && post.reblog_of.is_none()
            && post.answers.is_none_or(|whom| whom == post.author)
            && self.is_welcome(reader, post)
            && self.is_listed(reader, post.author)
    }

    /// Returns `true` if the profile of `whom` shows the post. There, mutes and blocks apply only
    /// to reblogged statuses.
    pub fn is_on_profile(&self, reader: Who, whom: Who, post: &Post) -> bool {
        let inner = self.shown(post);
        let inner_is_welcome = post.reblog_of.is_none()
            || (self.may_see(reader, inner) && self.wants(reader, inner.author));
        post.author == whom && post.is_there && self.may_see(reader, post) && inner_is_welcome
    }

    /// Returns the indices of the posts that `rule` allows, the newest first.
    pub fn places(&self, rule: impl Fn(&Post) -> bool) -> Vec<usize> {
        (0..self.posts.len()).rev().filter(|place| rule(&self.posts[*place])).collect()
    }

    /// Compares a shown timeline with the expected one. Both must have the same statuses in the
    /// same order. A reblog may be missing if the same status stands below it in the shown
    /// timeline.
    pub fn check(&self, what: &str, shown: &[StatusId], rule: impl Fn(&Post) -> bool) {
        let standing: BTreeSet<StatusId> = shown.iter().copied().collect();
        let mut shown = shown.iter().peekable();
        for place in self.places(rule) {
            let post = &self.posts[place];
            if shown.next_if(|id| **id == post.id).is_some() {
                continue;
            }
            let stands_below = post.reblog_of.is_some_and(|of| {
                let again = |before: &Post| before.reblog_of == Some(of);
                let mut same = self.posts[..place].iter().filter(|before| again(before));
                standing.contains(&self.posts[of].id)
                    || same.any(|before| standing.contains(&before.id))
            });
            assert!(stands_below, "{what} lacks {post:?}");
        }
        assert_eq!(shown.next(), None, "{what} has unexpected entries");
    }
}
