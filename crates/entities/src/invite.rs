//! Invites: links by which users let others sign up.

use siskin_ids::{AccountId, InviteId};

use crate::Timestamp;

/// Link by which a user lets others sign up.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Invite {
    /// Id of the invite.
    pub id: InviteId,
    /// Account that created it.
    pub account: AccountId,
    /// Secret at the end of the link.
    pub code: String,
    /// How many people may sign up with it. `None` if any number may.
    pub max_uses: Option<i64>,
    /// How many people signed up with it.
    pub uses: i64,
    /// When it loses its effect. `None` if it never does.
    pub expires_at: Option<Timestamp>,
    /// Whether new accounts follow the account that invited them.
    pub autofollow: bool,
    /// Comment of its creator, for its creator.
    pub comment: String,
    /// When it was created.
    pub created_at: Timestamp,
}

impl Invite {
    /// Returns `true` if another person may sign up with it at this time.
    #[must_use]
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.max_uses.is_none_or(|max_uses| self.uses < max_uses)
            && self.expires_at.is_none_or(|expires_at| now < expires_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invite_is_valid_until_it_expires_or_is_used_up() {
        let at = Timestamp::from_unix_ms;
        let unlimited = Invite {
            id: InviteId::new(1),
            account: AccountId::new(1),
            code: String::new(),
            max_uses: None,
            uses: 1000,
            expires_at: None,
            autofollow: false,
            comment: String::new(),
            created_at: at(0),
        };
        assert!(unlimited.is_valid(at(i64::MAX)));
        let limited = Invite { max_uses: Some(2), uses: 1, ..unlimited.clone() };
        assert!(limited.is_valid(at(0)) && !Invite { uses: 2, ..limited }.is_valid(at(0)));
        let short = Invite { expires_at: Some(at(5)), ..unlimited };
        assert!(short.is_valid(at(4)) && !short.is_valid(at(5)));
    }
}
