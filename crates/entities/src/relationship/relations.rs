//! State machine of relationships: the relations between two accounts that each action creates and
//! removes. The account that acts is the actor; the account it acts on is the target.
//!
//! | action of the actor | actor's follow | target's follow | also creates | also removes |
//! |---|---|---|---|---|
//! | follow | established with these options; an existing one is changed | – | – | – |
//! | follow, approval needed | becomes a request; an existing one is changed | – | – | – |
//! | unfollow | removed | – | – | actor's endorsement |
//! | authorize | – | a request becomes established with its options | – | – |
//! | reject | – | a request is removed | – | – |
//! | remove follower | – | an established one is removed | – | target's endorsement |
//! | mute | – | – | a mute with these options, replacing an earlier one | – |
//! | unmute | – | – | – | actor's mute |
//! | block | removed | removed | a block | both endorsements |
//! | unblock | – | – | – | actor's block |
//! | block server | removed | removed | (a domain block, stored separately) | both endorsements |
//! | endorse | – | – | an endorsement, if the actor's follow is established | – |
//! | unendorse | – | – | – | actor's endorsement |
//! | note | – | – | a note, replacing an earlier one | actor's note, if the text is empty |
//!
//! A dash means no change. Relations without a column in the table do not change either. Every
//! action is always possible. Repeating an action is harmless, because it then changes nothing.
//! Callers check permissions (blocks, limits) first.

use super::{FollowOptions, Following};
use crate::time::Timestamp;

/// Options of a mute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mute {
    /// Notifications caused by the muted account are hidden, too.
    pub notifications: bool,
    /// Time when the mute expires; `None` means never.
    pub until: Option<Timestamp>,
}

/// All relations between two accounts that an action of one of them can change, from the actor's
/// point of view.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Relations {
    /// Whether the actor follows the target.
    pub following: Following,
    /// Whether the target follows the actor.
    pub followed_by: Following,
    /// The actor blocks the target.
    pub blocking: bool,
    /// Mute that has not expired.
    pub muting: Option<Mute>,
    /// The actor features the target on its profile. This requires an established follow.
    pub endorsing: bool,
    /// The target features the actor on its profile.
    pub endorsed_by: bool,
    /// The actor's private note about the target; empty if there is none.
    pub note: String,
}

/// Action of one account on another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Follows the target, requests to follow it, or changes the options of the follow.
    Follow {
        /// Options to set; `None` keeps the present value.
        options: FollowOptions,
        /// The target approves its followers manually.
        needs_approval: bool,
    },
    /// Unfollows the target, or withdraws the request.
    Unfollow,
    /// Approves the target's follow request.
    Authorize,
    /// Rejects the target's follow request.
    Reject,
    /// Removes the target from the actor's followers.
    RemoveFollower,
    /// Mutes the target, or changes the options of the mute.
    Mute(Mute),
    /// Ends the mute of the target.
    Unmute,
    /// Blocks the target.
    Block,
    /// Ends the block of the target.
    Unblock,
    /// Blocks the server of the target.
    BlockServer,
    /// Features the target on the actor's profile.
    Endorse,
    /// Stops featuring the target.
    Unendorse,
    /// Sets the private note about the target.
    Note(String),
}

impl Relations {
    /// Returns the relations after the action, by the table in the module documentation.
    ///
    /// ```
    /// use siskin_entities::relationship::{Action, FollowOptions, Following, Relations};
    ///
    /// let follow = Action::Follow { options: FollowOptions::default(), needs_approval: true };
    /// let requested = Relations::default().after(&follow);
    /// assert!(matches!(requested.following, Following::Requested(_)));
    /// let blocked = requested.after(&Action::Block);
    /// assert_eq!((blocked.following, blocked.blocking), (Following::No, true));
    /// ```
    #[must_use]
    pub fn after(self, action: &Action) -> Self {
        match action {
            Action::Follow { options, needs_approval } => {
                Self { following: self.following.requested(options, *needs_approval), ..self }
            }
            Action::Unfollow => Self { following: Following::No, ..self },
            Action::Authorize => Self { followed_by: self.followed_by.authorized(), ..self },
            Action::Reject => Self { followed_by: self.followed_by.rejected(), ..self },
            Action::RemoveFollower => Self { followed_by: self.followed_by.removed(), ..self },
            Action::Mute(mute) => Self { muting: Some(*mute), ..self },
            Action::Unmute => Self { muting: None, ..self },
            Action::Block => Self { blocking: true, ..self.without_follows() },
            Action::Unblock => Self { blocking: false, ..self },
            Action::BlockServer => self.without_follows(),
            Action::Endorse => Self { endorsing: true, ..self },
            Action::Unendorse => Self { endorsing: false, ..self },
            Action::Note(text) => Self { note: text.clone(), ..self },
        }
        .normalised()
    }

    /// Removes follows and requests in both directions.
    fn without_follows(self) -> Self {
        Self { following: Following::No, followed_by: Following::No, ..self }
    }

    /// Removes endorsements that have no established follow.
    fn normalised(self) -> Self {
        Self {
            endorsing: self.endorsing && self.following.is_established(),
            endorsed_by: self.endorsed_by && self.followed_by.is_established(),
            ..self
        }
    }
}

#[cfg(test)]
mod tests;
