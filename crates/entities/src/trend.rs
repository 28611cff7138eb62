//! What trends on the server, as staff see it: with the result of its review.

use siskin_ids::PreviewCardId;

use crate::{
    card::PreviewCard,
    review::Review,
    tag::{Tag, TagDay},
};

/// Hashtag with its review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewedTag {
    /// The hashtag.
    pub tag: Tag,
    /// Result of its review.
    pub review: Review,
    /// Whether the public list may show it.
    pub trendable: bool,
}

/// Page to which many statuses link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrendingLink {
    /// Id of the preview.
    pub id: PreviewCardId,
    /// Preview of the page.
    pub card: PreviewCard,
    /// Daily usage, newest day first.
    pub history: Vec<TagDay>,
    /// Result of the review of this link, independent of its publisher.
    pub review: Review,
    /// Whether staff have decided neither about the link nor about its publisher.
    pub requires_review: bool,
    /// Whether the public list may show it.
    pub trendable: bool,
}
