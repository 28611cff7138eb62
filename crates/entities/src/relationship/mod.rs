//! Relations between two accounts: [`Relationship`] is the view that clients get, [`Relations`] is
//! the state that actions change.

mod follow;
mod relations;

use siskin_ids::AccountId;

pub use follow::{Follow, FollowOptions, Following};
pub use relations::{Action, Mute, Relations};

use crate::time::Timestamp;

/// Relationship of the viewer to one other account.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent fact of the contract")]
pub struct Relationship {
    /// The other account.
    pub id: AccountId,
    /// The viewer follows the account.
    pub following: bool,
    /// The viewer's home timeline shows reblogs by the account, or will once the request is
    /// approved.
    pub showing_reblogs: bool,
    /// The viewer is notified of new statuses of the account.
    pub notifying: bool,
    /// Languages of statuses that the viewer sees; `None` means all languages.
    pub languages: Option<Vec<String>>,
    /// The account follows the viewer.
    pub followed_by: bool,
    /// The viewer blocks the account.
    pub blocking: bool,
    /// The account blocks the viewer.
    pub blocked_by: bool,
    /// The viewer mutes the account.
    pub muting: bool,
    /// The mute also hides notifications.
    pub muting_notifications: bool,
    /// Time when the mute ends; `None` if it never does or if there is none.
    pub muting_expires_at: Option<Timestamp>,
    /// The viewer's follow request is pending.
    pub requested: bool,
    /// The account's request to follow the viewer is pending.
    pub requested_by: bool,
    /// The viewer blocks the account's domain.
    pub domain_blocking: bool,
    /// The viewer features the account on the profile.
    pub endorsed: bool,
    /// The viewer's private note; empty if there is none.
    pub note: String,
}

impl Relationship {
    /// Returns the relationship of two accounts without any relation.
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
