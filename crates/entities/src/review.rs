//! The review of what may be recommended to everyone.

use crate::named::{names, numbers};

/// Result of the review of a hashtag, a status or a link. The number is
/// stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Review {
    /// No moderator has decided yet.
    #[default]
    Unreviewed,
    /// It may be recommended.
    Approved,
    /// It must not be recommended.
    Rejected,
}

names!(Review { Unreviewed = "unreviewed", Approved = "approved", Rejected = "rejected" });
numbers!(Review, unknown: Unreviewed);
