//! Rules 10 and 13: answers, changes of collections, and moves, each by its owner only. The caller
//! looks up what they are about here; nothing that the activity says replaces that.

use super::Refusal;
use crate::{
    address::Uri,
    read::{Action, Activity, Actor, Subject},
};

/// Follow that an account of this server sent, or has as a request.
#[derive(Debug, Clone, Copy)]
pub struct SentFollow<'a> {
    /// Id under which it was sent.
    pub id: &'a Uri,
    /// Account of this server.
    pub follower: &'a Uri,
    /// Account that it asked.
    pub target: &'a Uri,
}

/// Judges by rule 10 whether an Accept or Reject answers a Follow that was sent: it is by the
/// account that was asked, and names the Follow by its id, or embeds one of the same two accounts.
/// Some servers change the id of what they embed.
///
/// # Errors
/// Returns the reason if it does not answer this Follow.
pub fn answer_counts(answer: &Activity, sent: &SentFollow<'_>) -> Result<(), Refusal> {
    let (Action::Accept { object, .. } | Action::Reject { object }) = &answer.action else {
        return Err(Refusal::NeverSent);
    };
    if answer.actor != *sent.target {
        return Err(Refusal::NotTheOwner);
    }
    let is_meant = match object {
        Subject::Activity(follow) => {
            follow.actor == *sent.follower
                && matches!(&follow.action, Action::Follow { object } if object == sent.target)
        }
        other => other.id() == Some(sent.id),
    };
    if is_meant { Ok(()) } else { Err(Refusal::NeverSent) }
}

/// Judges by rule 10 whether an activity that is stored here may be taken back by an actor: only by
/// the one that did it.
///
/// # Errors
/// Returns [`Refusal::NotTheOwner`] for another actor.
pub fn undo_counts(undo: &Activity, stored_actor: &Uri) -> Result<(), Refusal> {
    if undo.actor == *stored_actor { Ok(()) } else { Err(Refusal::NotTheOwner) }
}

/// Collections that the document of an actor names, as they are stored.
#[derive(Debug, Clone, Copy, Default)]
pub struct OwnCollections<'a> {
    /// Pinned objects.
    pub featured: Option<&'a Uri>,
    /// Featured hashtags.
    pub featured_tags: Option<&'a Uri>,
}

/// Collection that an Add or Remove changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PinnedIn {
    /// Pinned objects.
    Featured,
    /// Featured hashtags.
    FeaturedTags,
}

/// Judges an Add or Remove by rule 10: its target is a collection of its actor that can be changed
/// so.
///
/// # Errors
/// Returns the reason if it changes another collection.
pub fn collection_change_counts(
    change: &Activity,
    own: OwnCollections<'_>,
) -> Result<PinnedIn, Refusal> {
    let (Action::Add { target, .. } | Action::Remove { target, .. }) = &change.action else {
        return Err(Refusal::UnknownCollection);
    };
    if !target.has_origin_of(&change.actor) {
        return Err(Refusal::NotTheOwner);
    }
    if own.featured == Some(target) {
        Ok(PinnedIn::Featured)
    } else if own.featured_tags == Some(target) {
        Ok(PinnedIn::FeaturedTags)
    } else {
        Err(Refusal::UnknownCollection)
    }
}

/// Returns the new account of a Move, which can only move its own actor. The new account counts
/// only after [`alias_counts`].
///
/// # Errors
/// Returns the reason if it moves another account, or nowhere.
pub fn move_counts(activity: &Activity) -> Result<&Uri, Refusal> {
    match &activity.action {
        Action::Move { object, target } if *object == activity.actor && target != object => {
            Ok(target)
        }
        _ => Err(Refusal::NotTheOwner),
    }
}

/// Judges by rule 13 whether an account is another name of `old`: its document, which was just
/// fetched, says so. A Move says it of itself, which proves nothing.
///
/// # Errors
/// Returns [`Refusal::NotAnAlias`] if it does not.
pub fn alias_counts(old: &Uri, target: &Actor) -> Result<(), Refusal> {
    if target.also_known_as.contains(old) { Ok(()) } else { Err(Refusal::NotAnAlias) }
}
