//! Lists of accounts.

use siskin_ids::ListId;

use crate::named::{names, numbers, parses};

/// List in which an account groups accounts that it follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// Id of the list.
    pub id: ListId,
    /// Title that the owner chose.
    pub title: String,
    /// Which replies its timeline shows.
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

names!(RepliesPolicy { Followed = "followed", List = "list", None = "none" });
// `None` shows the fewest replies.
numbers!(RepliesPolicy, unknown: None);
parses! {
    /// Error for a text that is not the name of a policy.
    RepliesPolicy, UnknownRepliesPolicy: "must be followed, list or none"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_round_trips_through_its_name_and_number() {
        for policy in RepliesPolicy::ALL {
            assert_eq!(policy.as_str().parse(), Ok(policy));
            assert_eq!(RepliesPolicy::from_number(policy.number()), policy);
        }
        assert_eq!("all".parse::<RepliesPolicy>(), Err(UnknownRepliesPolicy));
        assert_eq!(RepliesPolicy::from_number(9), RepliesPolicy::None);
    }
}
