//! Lists of accounts.

use std::{fmt, str::FromStr};

use siskin_ids::ListId;

/// List in which an account groups accounts that it follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    pub id: ListId,
    pub title: String,
    pub replies_policy: RepliesPolicy,
    /// Whether the home timeline omits statuses of the members.
    pub exclusive: bool,
}

/// Which replies the timeline of a list shows. A member's replies to themselves and to the list's
/// owner are always shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RepliesPolicy {
    /// Replies to any account that the list's owner follows.
    Followed,
    /// Replies to members of the list.
    #[default]
    List,
    /// No other replies.
    None,
}

/// Error for a text that is not the name of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownRepliesPolicy;

impl fmt::Display for UnknownRepliesPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be followed, list or none")
    }
}

impl std::error::Error for UnknownRepliesPolicy {}

impl RepliesPolicy {
    /// All policies, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Followed, Self::List, Self::None];

    /// Returns the name used in the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Followed => "followed",
            Self::List => "list",
            Self::None => "none",
        }
    }

    /// Returns the stored number.
    #[must_use]
    pub const fn number(self) -> i16 {
        self as i16
    }

    /// Returns the policy with this stored number. An unknown number means [`RepliesPolicy::None`],
    /// which shows the fewest replies.
    #[must_use]
    pub fn from_number(number: i16) -> Self {
        Self::ALL.into_iter().find(|policy| policy.number() == number).unwrap_or(Self::None)
    }
}

impl FromStr for RepliesPolicy {
    type Err = UnknownRepliesPolicy;

    fn from_str(name: &str) -> Result<Self, UnknownRepliesPolicy> {
        Self::ALL.into_iter().find(|policy| policy.as_str() == name).ok_or(UnknownRepliesPolicy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_known_by_its_name_and_by_its_number() {
        for policy in RepliesPolicy::ALL {
            assert_eq!(policy.as_str().parse(), Ok(policy));
            assert_eq!(RepliesPolicy::from_number(policy.number()), policy);
        }
        assert_eq!("all".parse::<RepliesPolicy>(), Err(UnknownRepliesPolicy));
        assert_eq!(RepliesPolicy::from_number(9), RepliesPolicy::None);
    }
}
