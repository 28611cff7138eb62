//! Feeds: the kept part of the timelines that are somebody's own.

use siskin_ids::{AccountId, ListId};

/// A timeline of which the newest part can be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Feed {
    /// The home timeline of an account.
    Home(AccountId),
    /// The timeline of a list, and whose list it is.
    List(AccountId, ListId),
}

impl Feed {
    /// The number of the feed, which is that of the account or of the list: both are drawn from
    /// the same generator.
    #[must_use]
    pub const fn id(self) -> i64 {
        match self {
            Self::Home(account) => account.get(),
            Self::List(_, list) => list.get(),
        }
    }

    /// Whose it is.
    #[must_use]
    pub const fn account(self) -> AccountId {
        match self {
            Self::Home(account) | Self::List(account, _) => account,
        }
    }

    /// The list, unless it is a home timeline.
    #[must_use]
    pub const fn list(self) -> Option<ListId> {
        match self {
            Self::Home(_) => None,
            Self::List(_, list) => Some(list),
        }
    }
}

/// What can be expected of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedStage {
    /// Something may be missing that was let in since.
    Stale,
    /// It is being built.
    Building,
    /// It holds all that it should.
    Ready,
    /// Nobody looked for a long time, and it is gone.
    Dropped,
    /// It was gone, somebody came back, and it is being built.
    Regenerating,
}

impl FeedStage {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 5] =
        [Self::Stale, Self::Building, Self::Ready, Self::Dropped, Self::Regenerating];

    /// The stored number.
    #[must_use]
    pub const fn number(self) -> i16 {
        self as i16
    }

    /// The stage with this stored number; an unknown one holds nothing.
    #[must_use]
    pub fn from_number(number: i16) -> Self {
        Self::ALL.into_iter().find(|stage| stage.number() == number).unwrap_or(Self::Stale)
    }

    /// What follows when it has to be built: None where it is built already, or is being built.
    #[must_use]
    pub const fn begun(self) -> Option<Self> {
        match self {
            Self::Stale => Some(Self::Building),
            Self::Dropped => Some(Self::Regenerating),
            Self::Building | Self::Ready | Self::Regenerating => None,
        }
    }

    /// Whether its reader came back before it was there again: the answer is 206 then
    /// (`interface.md`, "Errors").
    #[must_use]
    pub const fn is_regenerating(self) -> bool {
        matches!(self, Self::Dropped | Self::Regenerating)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_read_back_from_their_numbers() {
        for stage in FeedStage::ALL {
            assert_eq!(FeedStage::from_number(stage.number()), stage);
        }
        assert_eq!(FeedStage::from_number(9), FeedStage::Stale);
    }
}
