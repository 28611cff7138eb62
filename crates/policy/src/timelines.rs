//! Which statuses each timeline shows to a viewer. Pages and streams ask the same functions.
//!
//! A query finds candidates: statuses that a timeline may show. These functions decide. They know
//! no storage, and they ask nothing but the facts that the caller passes in. Whether a reblog is
//! left out because the same status is shown close by depends on other entries, so the page decides
//! that.

use siskin_entities::{
    RepliesPolicy, Status, Timestamp, ViewerRelations, Visibility, search::SearchScope,
    status::StatusTag, viewer_relations::ListMembers,
};
use siskin_ids::AccountId;

use crate::visibility::{self, AccountFacts, ContentFacts, hides};

/// Number of candidates below a reblog among which the same status must not be shown. If one of
/// them is the reblogged status or another reblog of it, and the timeline shows it, the reblog is
/// left out.
pub const NEAR: usize = 40;

/// The parent of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parent {
    /// The status is no reply.
    None,
    /// The author of the parent. `None` if it is not known.
    By(Option<AccountId>),
}

impl Parent {
    /// Returns `true` if the status is no reply, or a reply to an account that `is_included`
    /// accepts. A reply to an unknown account is never included.
    fn is_none_or(self, is_included: impl Fn(AccountId) -> bool) -> bool {
        match self {
            Self::None => true,
            Self::By(author) => author.is_some_and(is_included),
        }
    }
}

/// Facts about a status or reblog that decide which timelines show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusFacts<'a> {
    /// The status, or the reblog itself.
    pub own: ContentFacts<'a>,
    /// The reblogged status; `None` if this is no reblog.
    pub reblogged: Option<ContentFacts<'a>>,
    /// Parent of the status, even if it is hidden from the viewer.
    pub parent: Parent,
    /// Hashtags of the status.
    pub tags: &'a [StatusTag],
    /// Language of the displayed text; `None` if unknown.
    pub language: Option<&'a str>,
}

impl<'a> StatusFacts<'a> {
    /// Returns the facts of a loaded status. `parent` is the parent as stored, because a status
    /// that was loaded for a viewer does not name a parent that is hidden from this viewer.
    #[must_use]
    pub fn of(status: &'a Status, parent: Parent) -> Self {
        let reblogged = status.reblog.as_deref();
        let language = reblogged.and_then(|inner| inner.source.language.as_deref());
        Self {
            own: ContentFacts::of(&status.body),
            reblogged: reblogged.map(ContentFacts::of),
            parent,
            tags: &status.body.tags,
            language: language.or(status.body.source.language.as_deref()),
        }
    }

    /// Returns the facts of a status that was loaded without a viewer, and so names its parent.
    #[must_use]
    pub fn without_viewer(status: &'a Status) -> Self {
        let parent = match status.body.in_reply_to_id {
            None => Parent::None,
            Some(_) => Parent::By(status.body.in_reply_to_account_id),
        };
        Self::of(status, parent)
    }

    const fn author(&self) -> AccountId {
        self.own.author.id
    }

    /// Returns the status with the text: the reblogged one for a reblog.
    fn displayed(&self) -> &ContentFacts<'a> {
        self.reblogged.as_ref().unwrap_or(&self.own)
    }

    fn contents(&self) -> impl Iterator<Item = &ContentFacts<'a>> {
        [Some(&self.own), self.reblogged.as_ref()].into_iter().flatten()
    }

    const fn is_public_original(&self) -> bool {
        matches!(self.own.visibility, Visibility::Public) && self.reblogged.is_none()
    }
}

/// Returns `true` if the status is visible to the viewer. For a reblog, both the reblog and the
/// reblogged status must be visible.
#[must_use]
pub fn may_see(viewer: &ViewerRelations, status: &StatusFacts<'_>) -> bool {
    visibility::may_see_whole(viewer, &status.own, status.reblogged.as_ref())
}

/// Returns `true` if the thread around another status shows the status. A thread hides authors that
/// the viewer blocks or mutes, and silenced authors that the viewer does not follow.
#[must_use]
pub fn shows_in_thread(viewer: &ViewerRelations, status: &StatusFacts<'_>, now: Timestamp) -> bool {
    is_welcome(viewer, status, now) && is_listed(viewer, &status.own.author)
}

/// Returns `true` if the profile of its author shows the status. A profile hides reblogs of
/// accounts that the viewer blocks or mutes.
#[must_use]
pub fn shows_on_profile(
    viewer: &ViewerRelations,
    status: &StatusFacts<'_>,
    now: Timestamp,
) -> bool {
    let is_hidden =
        |content: &ContentFacts<'_>| hides(viewer, content.author.id, content.author.domain, now);
    may_see(viewer, status) && !status.reblogged.as_ref().is_some_and(is_hidden)
}

/// Returns `true` if home shows the status. Home shows the viewer's own statuses and those of
/// followed accounts, as the options of each follow allow, unless the author is in an exclusive
/// list. It also shows public statuses with a followed hashtag. Replies to accounts that the viewer
/// does not follow are shown only because of a followed hashtag. Home hides statuses that mention,
/// are by or reblog an account that the viewer blocks or mutes.
#[must_use]
pub fn shows_home(viewer: &ViewerRelations, status: &StatusFacts<'_>, now: Timestamp) -> bool {
    let author = status.author();
    if !is_welcome(viewer, status, now) {
        return false;
    }
    if viewer.is_viewer(author) {
        return true;
    }
    let is_included_reply =
        |other| other == author || viewer.is_viewer(other) || viewer.follows(other);
    let by_follow =
        || follow_includes(viewer, status) && status.parent.is_none_or(is_included_reply);
    (by_follow() || is_shown_by_followed_tag(viewer, status))
        && !viewer.is_in_exclusive_list(author)
        && !mentions_hidden_account(viewer, status, now)
}

/// Returns `true` if a list of the viewer shows the status. A list shows statuses of its members,
/// as the options of each follow allow, and of their replies those that its policy includes. It
/// hides statuses that mention, are by or reblog an account that the viewer blocks or mutes.
#[must_use]
pub fn shows_list(
    viewer: &ViewerRelations,
    list: &ListMembers,
    status: &StatusFacts<'_>,
    now: Timestamp,
) -> bool {
    let author = status.author();
    let is_included_reply = |other| {
        other == author
            || viewer.is_viewer(other)
            || match list.replies_policy {
                RepliesPolicy::Followed => viewer.follows(other),
                RepliesPolicy::List => list.contains(other),
                RepliesPolicy::None => false,
            }
    };
    list.contains(author)
        && follow_includes(viewer, status)
        && status.parent.is_none_or(is_included_reply)
        && is_welcome(viewer, status, now)
        && !mentions_hidden_account(viewer, status, now)
}

/// Returns `true` if the public timelines show the status: a public status that is no reblog and no
/// reply to another account. A silenced author is shown to followers only.
#[must_use]
pub fn shows_public(viewer: &ViewerRelations, status: &StatusFacts<'_>, now: Timestamp) -> bool {
    let author = status.author();
    status.parent.is_none_or(|other| other == author) && shows_tag(viewer, status, now)
}

/// Returns `true` if the timelines of its hashtags show the status: a public status that is no
/// reblog. A silenced author is shown to followers only.
#[must_use]
pub fn shows_tag(viewer: &ViewerRelations, status: &StatusFacts<'_>, now: Timestamp) -> bool {
    status.is_public_original()
        && is_welcome(viewer, status, now)
        && is_listed(viewer, &status.own.author)
}

/// Returns `true` if a search among `scope` shows the status: it is in the viewer's library, or
/// public by an author that allows everyone to find it (`is_indexable`). A library contains the
/// statuses that its owner wrote, that mention the owner, and those with which the owner interacted
/// otherwise (`has_interacted`). Search finds neither reblogs nor what an anonymous viewer looks
/// for. As timelines, it hides authors that the viewer blocks or mutes, and silenced ones that the
/// viewer does not follow.
#[must_use]
pub fn shows_in_search(
    viewer: &ViewerRelations,
    status: &StatusFacts<'_>,
    found: Found,
    now: Timestamp,
) -> bool {
    let Some(account) = viewer.viewer() else { return false };
    let is_in_library = found.has_interacted
        || viewer.is_viewer(status.author())
        || status.own.ever_mentioned(account);
    let is_findable = found.is_indexable && status.is_public_original();
    let is_in_scope = match found.scope {
        SearchScope::All => is_in_library || is_findable,
        SearchScope::Library => is_in_library,
        SearchScope::Public => is_findable,
    };
    is_in_scope
        && status.reblogged.is_none()
        && is_welcome(viewer, status, now)
        && is_listed(viewer, &status.own.author)
}

/// How a search found a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Statuses among which the viewer searches.
    pub scope: SearchScope,
    /// The author allows everyone to find the public statuses.
    pub is_indexable: bool,
    /// The viewer favourited, bookmarked or reblogged the status, or voted in its poll.
    pub has_interacted: bool,
}

/// Returns `false` if the viewer sees no status of this author in any timeline. If it returns
/// `true`, the status still has to be checked.
#[must_use]
pub fn may_show_author(viewer: &ViewerRelations, author: AccountId, now: Timestamp) -> bool {
    viewer.is_viewer(author) || !viewer.is_blocked_by(author) && !hides(viewer, author, None, now)
}

/// Returns `true` if the status is visible, and if the viewer hides neither its author nor the
/// author of the status that it reblogs.
#[must_use]
pub fn is_welcome(viewer: &ViewerRelations, status: &StatusFacts<'_>, now: Timestamp) -> bool {
    status.contents().all(|content| {
        let author = &content.author;
        visibility::may_see(viewer, content) && !hides(viewer, author.id, author.domain, now)
    })
}

/// Returns `true` if the viewer follows the author, and the options of the follow include the
/// status: reblogs, and the language of the displayed text.
fn follow_includes(viewer: &ViewerRelations, status: &StatusFacts<'_>) -> bool {
    let author = status.author();
    viewer.follows_in_language(author, status.language)
        && (status.reblogged.is_none() || viewer.follows_reblogs_of(author))
}

fn is_shown_by_followed_tag(viewer: &ViewerRelations, status: &StatusFacts<'_>) -> bool {
    status.is_public_original()
        && status.tags.iter().any(|tag| viewer.follows_tag(&tag.name))
        && is_listed(viewer, &status.own.author)
}

/// Returns `true` if the account may appear where accounts are shown that the viewer did not ask
/// for. A silenced account appears to its followers only.
#[must_use]
pub fn is_listed(viewer: &ViewerRelations, account: &AccountFacts<'_>) -> bool {
    !account.state.silenced || viewer.is_viewer(account.id) || viewer.follows(account.id)
}

/// Returns `true` if the current version of the displayed status mentions an account that the
/// viewer hides. Mentions of earlier versions do not count.
fn mentions_hidden_account(
    viewer: &ViewerRelations,
    status: &StatusFacts<'_>,
    now: Timestamp,
) -> bool {
    let mentions = status.displayed().mentions;
    mentions.iter().any(|mention| hides(viewer, mention.account_id, mention.domain(), now))
}

#[cfg(test)]
mod tests;
