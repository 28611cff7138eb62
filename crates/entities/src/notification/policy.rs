//! The policy of an account about notifications by senders that it may not know.

use std::sync::Arc;

use siskin_ids::NotificationRequestId;

use crate::{
    account::Account,
    named::{names, numbers},
    status::Status,
    time::Timestamp,
};

/// What happens to a notification. The name is used in the API, the number is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum PolicyAction {
    /// The recipient gets it.
    #[default]
    Accept,
    /// It is stored, but the recipient sees it only among the requests of senders.
    Filter,
    /// It is not stored.
    Drop,
}

names!(PolicyAction { Accept = "accept", Filter = "filter", Drop = "drop" });
numbers!(PolicyAction, unknown: Accept);

/// Kind of notifications for which an account chooses an action. The number is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PolicyRule {
    /// By accounts that the recipient does not follow.
    NotFollowing,
    /// By accounts that do not follow the recipient, or only for a short time.
    NotFollowers,
    /// By accounts that were created a short time ago.
    NewAccounts,
    /// Private mentions by accounts that the recipient does not follow, except for replies to the
    /// recipient's own private mentions.
    PrivateMentions,
    /// By accounts that moderators limited.
    LimitedAccounts,
}

names!(PolicyRule {
    NotFollowing = "for_not_following",
    NotFollowers = "for_not_followers",
    NewAccounts = "for_new_accounts",
    PrivateMentions = "for_private_mentions",
    LimitedAccounts = "for_limited_accounts",
});

impl PolicyRule {
    /// Returns the stored number.
    #[must_use]
    pub const fn number(self) -> i16 {
        self as i16
    }

    /// Returns the rule with this stored number. Returns `None` if there is none.
    #[must_use]
    pub fn from_number(number: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.number() == number)
    }
}

/// The action of an account for each rule. The default filters limited accounts and accepts all
/// others, as on Mastodon.
///
/// ```
/// use siskin_entities::{NotificationPolicy, PolicyAction, PolicyRule};
///
/// let mut policy = NotificationPolicy::default();
/// assert_eq!(policy.action(PolicyRule::LimitedAccounts), PolicyAction::Filter);
/// policy.set(PolicyRule::NewAccounts, PolicyAction::Drop);
/// assert_eq!(policy.action(PolicyRule::NewAccounts), PolicyAction::Drop);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotificationPolicy {
    /// Actions in the order of the rules.
    actions: [PolicyAction; PolicyRule::ALL.len()],
}

impl Default for NotificationPolicy {
    fn default() -> Self {
        let mut policy = Self { actions: [PolicyAction::Accept; PolicyRule::ALL.len()] };
        policy.set(PolicyRule::LimitedAccounts, PolicyAction::Filter);
        policy
    }
}

impl NotificationPolicy {
    /// Returns the action of a rule.
    #[must_use]
    pub const fn action(&self, rule: PolicyRule) -> PolicyAction {
        self.actions[rule as usize]
    }

    /// Replaces the action of a rule.
    pub const fn set(&mut self, rule: PolicyRule, action: PolicyAction) {
        self.actions[rule as usize] = action;
    }
}

/// The sender of notifications that the recipient's policy filtered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotificationRequest {
    /// Id of the request.
    pub id: NotificationRequestId,
    /// The sender.
    pub account: Arc<Account>,
    /// Number of filtered notifications.
    pub count: i64,
    /// Status of the newest filtered notification that is about a status, if it is visible.
    pub last_status: Option<Status>,
    /// Time of the first filtered notification.
    pub created_at: Timestamp,
    /// Time of the last filtered notification.
    pub updated_at: Timestamp,
}

/// Numbers of what waits for the recipient's decision. Only the newest requests are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PendingNotifications {
    /// Number of requests.
    pub requests: i64,
    /// Number of filtered notifications.
    pub notifications: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_has_its_own_action() {
        for rule in PolicyRule::ALL {
            let mut policy = NotificationPolicy::default();
            policy.set(rule, PolicyAction::Drop);
            for other in PolicyRule::ALL {
                assert_eq!(policy.action(other) == PolicyAction::Drop, other == rule);
            }
        }
    }

    #[test]
    fn rules_and_actions_round_trip_through_names_and_numbers() {
        for rule in PolicyRule::ALL {
            assert_eq!(PolicyRule::from_number(rule.number()), Some(rule));
            assert_eq!(PolicyRule::from_name(rule.as_str()), Some(rule));
        }
        for action in PolicyAction::ALL {
            assert_eq!(PolicyAction::from_number(action.number()), action);
            assert_eq!(PolicyAction::from_name(action.as_str()), Some(action));
        }
        assert_eq!(PolicyRule::from_number(99), None);
    }
}
