//! Hashtags with their use.

use siskin_ids::TagId;

use crate::time::Timestamp;

/// A hashtag as it is shown by itself; one that stands in a status is a
/// [`StatusTag`](crate::status::StatusTag).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    pub id: TagId,
    /// Folded by the hashtag rule.
    pub name: String,
    /// The newest day first.
    pub history: Vec<TagDay>,
    /// Whether the reader follows it; None for anonymous readers.
    pub following: Option<bool>,
}

/// How a hashtag was used on one day (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TagDay {
    /// The midnight that began the day.
    pub day: Timestamp,
    /// Statuses that use the hashtag.
    pub uses: i64,
    /// Accounts that wrote them.
    pub accounts: i64,
}
