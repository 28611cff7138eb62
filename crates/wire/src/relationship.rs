//! Relationship of the viewer to another account.

use serde::{Deserialize, Serialize};
use siskin_entities as view;
use siskin_ids::AccountId;

use crate::time::Instant;

/// Relationship of the viewer to the account `id`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent field of the interface")]
pub struct Relationship {
    /// Id of the other account.
    pub id: AccountId,
    /// The viewer follows it.
    pub following: bool,
    /// The home timeline shows its reblogs, or will once the request is approved.
    #[serde(default)]
    pub showing_reblogs: bool,
    /// The viewer is notified of its new statuses.
    #[serde(default)]
    pub notifying: bool,
    /// Null means all languages.
    pub languages: Option<Vec<String>>,
    /// It follows the viewer.
    pub followed_by: bool,
    /// The viewer blocks it.
    pub blocking: bool,
    /// It blocks the viewer.
    #[serde(default)]
    pub blocked_by: bool,
    /// The viewer mutes it.
    pub muting: bool,
    /// The mute also hides notifications.
    pub muting_notifications: bool,
    /// Time when the mute ends; null if it never does or if there is none.
    pub muting_expires_at: Option<Instant>,
    /// The viewer's follow request is pending.
    pub requested: bool,
    /// Its request to follow the viewer is pending.
    #[serde(default)]
    pub requested_by: bool,
    /// The viewer blocks its domain.
    #[serde(default)]
    pub domain_blocking: bool,
    /// The viewer features it on the profile.
    #[serde(default)]
    pub endorsed: bool,
    /// The viewer's private note; may be empty.
    #[serde(default)]
    pub note: String,
}

/// Renders a relationship for the viewer.
#[must_use]
pub fn render(relationship: &view::Relationship) -> Relationship {
    Relationship {
        id: relationship.id,
        following: relationship.following,
        showing_reblogs: relationship.showing_reblogs,
        notifying: relationship.notifying,
        languages: relationship.languages.clone(),
        followed_by: relationship.followed_by,
        blocking: relationship.blocking,
        blocked_by: relationship.blocked_by,
        muting: relationship.muting,
        muting_notifications: relationship.muting_notifications,
        muting_expires_at: relationship.muting_expires_at.map(Instant),
        requested: relationship.requested,
        requested_by: relationship.requested_by,
        domain_blocking: relationship.domain_blocking,
        endorsed: relationship.endorsed,
        note: relationship.note.clone(),
    }
}
