//! Relationship of the viewer to another account.

use serde::Serialize;
use siskin_entities as view;
use siskin_ids::AccountId;

use crate::time::Instant;

/// Relationship of the viewer to the account `id`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent field of the interface")]
pub struct Relationship {
    pub id: AccountId,
    pub following: bool,
    pub showing_reblogs: bool,
    pub notifying: bool,
    /// Null means all languages.
    pub languages: Option<Vec<String>>,
    pub followed_by: bool,
    pub blocking: bool,
    pub blocked_by: bool,
    pub muting: bool,
    pub muting_notifications: bool,
    pub muting_expires_at: Option<Instant>,
    pub requested: bool,
    pub requested_by: bool,
    pub domain_blocking: bool,
    pub endorsed: bool,
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
