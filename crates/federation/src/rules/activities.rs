//! Rules 4, 5 and 6: who may say what in an activity.

use super::Refusal;
use crate::{
    address::Uri,
    read::{Activity, ActivityKind, ActorKind, Object, Subject},
};

/// The account for which the sender of an activity speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaks {
    /// For the actor: the activity may have an effect.
    ForItsActor,
    /// For another account: the activity is only a hint, which
    /// [`hint_counts`](super::hint_counts) judges.
    Hint,
}

/// Judges by rule 4 whether the owner of a key speaks for the actor of an activity: only if both
/// ids are equal as a whole. Callers ask this before they look at anything else of the activity.
///
/// Otherwise an account could speak for all accounts of its server (CVE-2025-54888).
#[must_use]
pub fn activity_speaks(key_owner: &Uri, activity: &Activity) -> Speaks {
    if *key_owner == activity.actor { Speaks::ForItsActor } else { Speaks::Hint }
}

/// Judges the id of an activity by rule 5: it has the origin of its actor. Only activities that are
/// found by actor and object need none.
///
/// An activity that is refused must not be remembered: a foreign id would suppress the genuine
/// activity (GHSA-4qhx).
///
/// # Errors
/// Returns the reason if the activity is dropped.
pub fn activity_id_counts(activity: &Activity) -> Result<(), Refusal> {
    match &activity.id {
        Some(id) if id.has_origin_of(&activity.actor) => Ok(()),
        Some(_) => Err(Refusal::ForeignActivityId),
        None if needs_no_id(activity.action.kind()) => Ok(()),
        None => Err(Refusal::ActivityWithoutId),
    }
}

const fn needs_no_id(kind: ActivityKind) -> bool {
    matches!(
        kind,
        ActivityKind::Follow
            | ActivityKind::Accept
            | ActivityKind::Reject
            | ActivityKind::Like
            | ActivityKind::Undo
    )
}

/// What of an object in an activity counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Belongs {
    /// The embedded copy. What is acted on is this verified copy, never a second look-up
    /// (GHSA-39gj).
    Copy,
    /// Only the id. Before it acts, the caller checks that what is stored by this id belongs to the
    /// actor.
    Id(Uri),
    /// Nothing that the activity says: the copy is thrown away, and this id is asked for at its
    /// origin.
    Fetch(Uri),
    /// Nothing: the activity is dropped.
    Refused(Refusal),
}

/// Judges an object of an activity by rule 6. The activity speaks for its actor, by rule 4.
///
/// - Create, Update, Announce, Add, Remove, and the instrument of a QuoteRequest: a copy counts if
///   it has the origin of the actor and is attributed to the actor; several authors are all of that
///   origin. Other copies are asked for at their origin. Copies of unknown types are refused.
/// - Delete: an id of the origin of the actor counts. Others are asked for at their origin: if it
///   is gone there, it was deleted by a moderator of a group.
/// - Undo: the copy of an activity of the same actor counts, and an id of its origin.
/// - Other activities have no object of their actor. Their rules are in [`answer_counts`] and the
///   functions beside it.
///
/// [`answer_counts`]: super::answer_counts
///
/// An announced activity is refused: groups are not known yet.
#[must_use]
pub fn object_belongs(activity: &Activity, object: &Subject) -> Belongs {
    let actor = &activity.actor;
    match activity.action.kind() {
        ActivityKind::Create | ActivityKind::Update | ActivityKind::QuoteRequest => {
            published(actor, object)
        }
        ActivityKind::Announce | ActivityKind::Add | ActivityKind::Remove => match object {
            Subject::Activity(_) => Belongs::Refused(Refusal::AnnouncedActivity),
            Subject::Hashtag(_) => Belongs::Copy,
            other => published(actor, other),
        },
        ActivityKind::Delete => by_id(object, |id| {
            if id.has_origin_of(actor) { Belongs::Id(id) } else { Belongs::Fetch(id) }
        }),
        ActivityKind::Undo => undone(actor, object),
        _ => Belongs::Refused(Refusal::NotTheOwner),
    }
}

fn published(actor: &Uri, object: &Subject) -> Belongs {
    match object {
        Subject::Object(object) if is_by(object, actor) => Belongs::Copy,
        Subject::Actor(it) if it.id == *actor => Belongs::Copy,
        Subject::Unknown { .. } => Belongs::Refused(Refusal::UnknownObject),
        other => by_id(other, Belongs::Fetch),
    }
}

fn undone(actor: &Uri, object: &Subject) -> Belongs {
    if let Subject::Activity(inner) = object {
        let is_same_origin = inner.id.as_ref().is_none_or(|id| id.has_origin_of(actor));
        return match inner.actor == *actor {
            true if is_same_origin => Belongs::Copy,
            true => Belongs::Refused(Refusal::ForeignObject),
            false => Belongs::Refused(Refusal::NotTheOwner),
        };
    }
    by_id(object, |id| {
        if id.has_origin_of(actor) {
            Belongs::Id(id)
        } else {
            Belongs::Refused(Refusal::ForeignObject)
        }
    })
}

fn by_id(object: &Subject, verdict: impl Fn(Uri) -> Belongs) -> Belongs {
    object.id().cloned().map_or(Belongs::Refused(Refusal::DocumentWithoutId), verdict)
}

/// Returns `true` if an object is of the origin of an actor and by it, alone or with others of that
/// origin.
fn is_by(object: &Object, actor: &Uri) -> bool {
    let are_of_origin = object.attributed_to.iter().all(|it| it.id.has_origin_of(actor));
    let is_named = object.attributed_to.iter().any(|it| it.id == *actor);
    object.id.has_origin_of(actor) && are_of_origin && is_named
}

/// Returns the author of an object that counts for its id: a person if it names one, else the first
/// author. All authors are of the origin of the object.
///
/// # Errors
/// Returns the reason if it names no author, or one of another origin.
pub fn author_of(object: &Object) -> Result<&Uri, Refusal> {
    let authors = &object.attributed_to;
    if !authors.iter().all(|it| it.id.has_origin_of(&object.id)) {
        return Err(Refusal::ForeignAuthor);
    }
    let person = authors.iter().find(|it| it.kind == Some(ActorKind::Person));
    person.or_else(|| authors.first()).map(|it| &it.id).ok_or(Refusal::ForeignAuthor)
}
