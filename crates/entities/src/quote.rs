//! Quotes: statuses that embed another status, and who may quote a status.

use crate::{
    named::{names, numbers, parses},
    status::StatusBody,
};

/// Accounts that may quote a status, as its author chose. The author may always do so, except for a
/// direct status. The name is used in the API, the number is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum QuotePolicy {
    /// All accounts that see the status.
    #[default]
    Public,
    /// Followers of the author.
    Followers,
    /// Only the author.
    Nobody,
}

names!(QuotePolicy { Public = "public", Followers = "followers", Nobody = "nobody" });
numbers!(QuotePolicy, unknown: Nobody);
parses! {
    /// Error for a text that is not the name of a quote policy.
    QuotePolicy, UnknownQuotePolicy: "quote_approval_policy must be public, followers or nobody"
}

/// What happens if the viewer quotes a status. The names are used in the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum QuotePermission {
    /// The quote is accepted at once.
    Automatic,
    /// The quote is refused.
    #[default]
    Denied,
}

names!(QuotePermission { Automatic = "automatic", Denied = "denied" });

/// Who may quote a status, and what this means for the viewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QuoteApproval {
    /// The author's choice.
    pub policy: QuotePolicy,
    /// What it means for the viewer. Anonymous viewers cannot quote.
    pub viewer: QuotePermission,
}

/// State of a quote for one viewer. The author of the quoted status decides about the first four,
/// which are stored; the others depend on the quoted status and on the viewer's relations. The name
/// is used in the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QuoteState {
    /// The quoted author has not decided yet.
    Pending,
    /// The quoted status is shown.
    Accepted,
    /// The quoted author refused.
    Rejected,
    /// The quoted author accepted, and withdrew that later.
    Revoked,
    /// The quoted status was deleted.
    Deleted,
    /// The viewer may not see the quoted status.
    Unauthorized,
    /// The viewer blocks the quoted author.
    BlockedAccount,
    /// The viewer blocks the domain of the quoted author.
    BlockedDomain,
    /// The viewer mutes the quoted author.
    MutedAccount,
}

names!(QuoteState {
    Pending = "pending",
    Accepted = "accepted",
    Rejected = "rejected",
    Revoked = "revoked",
    Deleted = "deleted",
    Unauthorized = "unauthorized",
    BlockedAccount = "blocked_account",
    BlockedDomain = "blocked_domain",
    MutedAccount = "muted_account",
});
numbers!(QuoteState, unknown: Unauthorized);

impl QuoteState {
    /// Returns `true` if the viewer gets the quoted status. Clients show it only on request if the
    /// viewer blocks or mutes its author.
    #[must_use]
    pub const fn shows_status(self) -> bool {
        matches!(
            self,
            Self::Accepted | Self::BlockedAccount | Self::BlockedDomain | Self::MutedAccount
        )
    }
}

/// Quote of another status, as one viewer sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// State for the viewer.
    pub state: QuoteState,
    /// The quoted status; `None` unless the state [shows it](QuoteState::shows_status), or the
    /// viewer has just deleted the quote and may redraft it. It may be a quote too. What that one
    /// quotes may be a quote again, which is left out.
    pub status: Option<Box<StatusBody>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_round_trip() {
        for policy in QuotePolicy::ALL {
            assert_eq!(policy.as_str().parse(), Ok(policy));
            assert_eq!(QuotePolicy::from_number(policy.number()), policy);
        }
        assert_eq!("all".parse::<QuotePolicy>(), Err(UnknownQuotePolicy));
        assert_eq!(QuotePolicy::from_number(9), QuotePolicy::Nobody);
        for state in QuoteState::ALL {
            assert_eq!(QuoteState::from_number(state.number()), state);
        }
        assert!(!QuoteState::from_number(99).shows_status());
    }
}
