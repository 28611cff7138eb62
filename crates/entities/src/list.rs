//! Lists of accounts.

use std::{fmt, str::FromStr};

use siskin_ids::ListId;

/// A list that somebody keeps of people whom they follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    pub id: ListId,
    pub title: String,
    pub replies_policy: RepliesPolicy,
    /// Whether home leaves out what its members write.
    pub exclusive: bool,
}

/// To whom those replies are that the timeline of a list shows. A member's replies to themselves
/// and to the list's owner are shown always.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RepliesPolicy {
    /// To anybody whom the list's owner follows.
    Followed,
    /// To members of the list.
    #[default]
    List,
    /// To nobody else.
    None,
}

/// The text is no name of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownRepliesPolicy;

impl fmt::Display for UnknownRepliesPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be followed, list or none")
    }
}

impl std::error::Error for UnknownRepliesPolicy {}

impl RepliesPolicy {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Followed, Self::List, Self::None];

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Followed => "followed",
            Self::List => "list",
            Self::None => "none",
        }
    }

    /// The stored number.
    #[must_use]
    pub const fn number(self) -> i16 {
        self as i16
    }

    /// The policy with this stored number; what is none shows the fewest replies.
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
