//! The state machine of relationships: what each action makes of the ties between two accounts,
//! and what it undoes.
//!
//! | action of the one who acts | its own follow | the other's follow | what else it makes | what else it undoes |
//! |---|---|---|---|---|
//! | follow | established as asked; one that is there is changed by it | – | – | – |
//! | follow, approval needed | none becomes a request; one that is there is changed by it | – | – | – |
//! | unfollow | none | – | – | its endorsement |
//! | authorize | – | a request is established as it was asked | – | – |
//! | reject | – | a request is none | – | – |
//! | remove follower | – | an established one is none | – | the other's endorsement |
//! | mute | – | – | a mute as asked, in place of an earlier one | – |
//! | unmute | – | – | – | its mute |
//! | block | none | none | a block | both endorsements |
//! | unblock | – | – | – | its block |
//! | block the other's server | none | none | (the server stands in a list of its own) | both endorsements |
//! | endorse | – | – | an endorsement, where its follow is established | – |
//! | unendorse | – | – | – | its endorsement |
//! | note | – | – | a note in place of an earlier one | its note, where the text is empty |
//!
//! A dash leaves things as they were, and what stands in no column of a line stays. An action is
//! always possible; one that finds nothing to do changes nothing, so repeating it is harmless.
//! Who may act at all (blocks, limits) is asked before.

use super::{FollowOptions, Following};
use crate::time::Timestamp;

/// How one account mutes another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mute {
    /// The notifications that the other causes are hidden too.
    pub notifications: bool,
    /// When it lifts itself; None: never.
    pub until: Option<Timestamp>,
}

/// Everything between two accounts that an action of one of them can change, as the one who acts
/// sees it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ties {
    /// Whether the one who acts follows the other.
    pub following: Following,
    /// Whether the other follows the one who acts.
    pub followed_by: Following,
    pub blocking: bool,
    /// A mute that has not expired.
    pub muting: Option<Mute>,
    /// The one who acts shows the other on its profile, which takes an established follow.
    pub endorsing: bool,
    /// The other shows the one who acts on its profile.
    pub endorsed_by: bool,
    /// What the one who acts wrote about the other for itself; empty: nothing.
    pub note: String,
}

/// What one account does to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Follows the other, asks to, or changes how it follows.
    Follow {
        options: FollowOptions,
        /// The other approves its followers one by one.
        needs_approval: bool,
    },
    /// Stops following, or takes the request back.
    Unfollow,
    /// Approves the other's request to follow.
    Authorize,
    /// Refuses the other's request to follow.
    Reject,
    /// Ends the other's follow.
    RemoveFollower,
    /// Mutes the other, or changes how it is muted.
    Mute(Mute),
    Unmute,
    Block,
    Unblock,
    /// Blocks the server that the other is of.
    BlockServer,
    /// Shows the other on its profile.
    Endorse,
    Unendorse,
    /// Writes this about the other.
    Note(String),
}

impl Ties {
    /// What the action makes of these ties; the table above.
    #[must_use]
    pub fn after(self, action: &Action) -> Self {
        match action {
            Action::Follow { options, needs_approval } => {
                Self { following: self.following.asked(options, *needs_approval), ..self }
            }
            Action::Unfollow => Self { following: Following::No, ..self },
            Action::Authorize => Self { followed_by: self.followed_by.authorized(), ..self },
            Action::Reject => Self { followed_by: self.followed_by.rejected(), ..self },
            Action::RemoveFollower => Self { followed_by: self.followed_by.removed(), ..self },
            Action::Mute(mute) => Self { muting: Some(*mute), ..self },
            Action::Unmute => Self { muting: None, ..self },
            Action::Block => Self { blocking: true, ..self.parted() },
            Action::Unblock => Self { blocking: false, ..self },
            Action::BlockServer => self.parted(),
            Action::Endorse => Self { endorsing: true, ..self },
            Action::Unendorse => Self { endorsing: false, ..self },
            Action::Note(text) => Self { note: text.clone(), ..self },
        }
        .settled()
    }

    /// Without follows and requests in either direction.
    fn parted(self) -> Self {
        Self { following: Following::No, followed_by: Following::No, ..self }
    }

    /// An endorsement lasts as long as the follow that it takes.
    fn settled(self) -> Self {
        Self {
            endorsing: self.endorsing && self.following.is_established(),
            endorsed_by: self.endorsed_by && self.followed_by.is_established(),
            ..self
        }
    }
}

#[cfg(test)]
mod tests;
