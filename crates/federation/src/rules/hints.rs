//! Rule 8: activities that one actor passes on for another.

use std::time::Duration;

use siskin_entities::Timestamp;

use super::Refusal;
use crate::{
    address::Uri,
    read::{Action, Activity, Subject},
};

/// Age up to which a proof is believed. An older activity may have been taken back since then.
pub const MAX_HINT_AGE: Duration = Duration::from_hours(7 * 24);

/// Proof of FEP-8b32 in an activity, which was verified.
#[derive(Debug, Clone, Copy)]
pub struct VerifiedProof<'a> {
    /// Owner of the key, by [`key_belongs`](super::key_belongs).
    pub key_owner: &'a Uri,
    /// Time at which it says that it was made.
    pub created: Timestamp,
}

/// What a hint is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// It counts like an activity that its actor sent.
    Believed,
    /// It counts for nothing, but it names an object that may be asked for at its origin.
    Fetch(Uri),
    /// It is dropped.
    Dropped(Refusal),
}

/// Judges by rule 8 an activity that another actor sent: by forwarding, as a group or as a relay.
///
/// Only Create, Update and Delete with a proof of their own actor are believed, and only for a
/// while: an old like or reblog could be replayed after it was taken back. Signatures of Linked
/// Data are no proof: the graph can be rearranged under them (CVE-2022-24307, CVE-2026-42462). The
/// id of a believed activity still needs [`activity_id_counts`](super::activity_id_counts).
#[must_use]
pub fn hint_counts(activity: &Activity, proof: Option<VerifiedProof<'_>>, now: Timestamp) -> Hint {
    let object = match &activity.action {
        Action::Create { objects } => objects.first().and_then(Subject::id),
        Action::Update { object } | Action::Delete { object } => object.id(),
        _ => return Hint::Dropped(Refusal::SecondHand),
    };
    let own_proof = proof.filter(|proof| *proof.key_owner == activity.actor);
    let is_recent = |proof: VerifiedProof<'_>| {
        proof.created >= now.before(MAX_HINT_AGE) && !is_ahead(proof, now)
    };
    match (own_proof, object) {
        (Some(proof), _) if is_recent(proof) => Hint::Believed,
        (_, Some(object)) => Hint::Fetch(object.clone()),
        (Some(_), None) => Hint::Dropped(Refusal::TooOld),
        (None, None) => Hint::Dropped(Refusal::SecondHand),
    }
}

/// Returns `true` if a proof is from the future by more than clocks differ.
fn is_ahead(proof: VerifiedProof<'_>, now: Timestamp) -> bool {
    proof.created > now.after(Duration::from_hours(1))
}
