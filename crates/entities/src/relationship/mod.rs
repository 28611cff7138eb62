//! How one account stands to another: [`Relationship`] is what is shown of it, [`Ties`] what
//! actions change.

mod follow;
mod ties;

use siskin_ids::AccountId;

pub use follow::{Follow, FollowOptions, Following};
pub use ties::{Action, Mute, Ties};

use crate::time::Timestamp;

/// What the viewer and one other account are to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent fact of the contract")]
pub struct Relationship {
    /// The other account.
    pub id: AccountId,
    pub following: bool,
    /// Their reblogs are (or, once the request is approved, will be) in the viewer's home.
    pub showing_reblogs: bool,
    pub notifying: bool,
    /// None: every language.
    pub languages: Option<Vec<String>>,
    pub followed_by: bool,
    pub blocking: bool,
    pub blocked_by: bool,
    pub muting: bool,
    pub muting_notifications: bool,
    pub muting_expires_at: Option<Timestamp>,
    /// The viewer asked to follow and waits for approval.
    pub requested: bool,
    /// They asked to follow the viewer.
    pub requested_by: bool,
    pub domain_blocking: bool,
    pub endorsed: bool,
    pub note: String,
}

impl Relationship {
    /// The relationship of two accounts that have nothing to do with each other.
    #[must_use]
    pub const fn none(id: AccountId) -> Self {
        Self {
            id,
            following: false,
            showing_reblogs: false,
            notifying: false,
            languages: None,
            followed_by: false,
            blocking: false,
            blocked_by: false,
            muting: false,
            muting_notifications: false,
            muting_expires_at: None,
            requested: false,
            requested_by: false,
            domain_blocking: false,
            endorsed: false,
            note: String::new(),
        }
    }
}
