//! Feeds: the materialised part of home and list timelines.

use siskin_ids::{AccountId, ListId};

use crate::named::numbers;

/// Timeline with a newest part that can be materialised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Feed {
    /// The home timeline of an account.
    Home(AccountId),
    /// The timeline of a list, with the owner of the list.
    List(AccountId, ListId),
}

impl Feed {
    /// Returns the id of the feed: the id of the account or of the list. Both come from the same
    /// generator, so they never collide.
    #[must_use]
    pub const fn id(self) -> i64 {
        match self {
            Self::Home(account) => account.get(),
            Self::List(_, list) => list.get(),
        }
    }

    /// Returns the owner of the feed.
    #[must_use]
    pub const fn account(self) -> AccountId {
        match self {
            Self::Home(account) | Self::List(account, _) => account,
        }
    }

    /// Returns the list, or `None` for a home timeline.
    #[must_use]
    pub const fn list(self) -> Option<ListId> {
        match self {
            Self::Home(_) => None,
            Self::List(_, list) => Some(list),
        }
    }
}

/// Build state of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedStage {
    /// Entries that became candidates since the last build may be missing.
    Stale,
    /// The feed is being built.
    Building,
    /// The feed is complete.
    Ready,
    /// The feed was deleted because its owner was inactive for a long time.
    Dropped,
    /// The feed was deleted; its owner came back, and it is being rebuilt.
    Regenerating,
}

numbers!(FeedStage, unknown: Stale);

impl FeedStage {
    /// All stages, in the order of their numbers.
    pub const ALL: [Self; 5] =
        [Self::Stale, Self::Building, Self::Ready, Self::Dropped, Self::Regenerating];

    /// Returns the stage to enter when a build starts. `None` if the feed is built or being built.
    #[must_use]
    pub const fn next_build_stage(self) -> Option<Self> {
        match self {
            Self::Stale => Some(Self::Building),
            Self::Dropped => Some(Self::Regenerating),
            Self::Building | Self::Ready | Self::Regenerating => None,
        }
    }

    /// Returns `true` if the feed was dropped and is not rebuilt yet. The home timeline then
    /// answers with status 206.
    #[must_use]
    pub const fn is_regenerating(self) -> bool {
        matches!(self, Self::Dropped | Self::Regenerating)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_round_trip_through_their_numbers() {
        for stage in FeedStage::ALL {
            assert_eq!(FeedStage::from_number(stage.number()), stage);
        }
        assert_eq!(FeedStage::from_number(9), FeedStage::Stale);
    }
}
