//! What trends: counts of uses, the entries with their scores, and their reviews.
//!
//! The tables `trending_…` contain at most a few hundred rows, which a job replaces. Which of them
//! the public lists show is decided by `siskin_policy::trends`.

mod count;
mod entries;
mod links;
mod reviews;
mod rounds;

use siskin_entities::Review;
use siskin_ids::{AccountId, StatusId};
use siskin_policy::trends::Peak;

pub use count::{
    CountedStatus, CountedUses, Windows, link_uses, reacting_accounts, status_reactions, tag_uses,
};
pub use entries::{
    link_peaks, links, replace_links, replace_statuses, replace_tags, statuses, tag_peaks, tags,
};
pub use links::{addresses, cards, find_cards, link_history};
pub use reviews::{
    all_publishers, mark_requested, publishers, set_link_review, set_publisher_review,
    set_status_review, set_tag_review, tag_reviews,
};
pub use rounds::{Rounds, rounds, set_counted, set_reported};

/// An entry that trends, or would trend after its approval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry<I> {
    pub id: I,
    pub score: f64,
    /// Result of the review of this entry.
    pub review: Review,
    /// Whether it was reported to staff for a review.
    pub requested: bool,
}

/// A status that trends, with its author.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrendingStatus {
    pub entry: Entry<StatusId>,
    pub author: AccountId,
}

/// An entry to store, with the peak from which its score decays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored<I> {
    pub id: I,
    pub score: f64,
    pub peak: Peak,
}
