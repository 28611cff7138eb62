//! Trending links.

use serde::{Deserialize, Serialize};
use siskin_entities as view;
use siskin_ids::PreviewCardId;

use crate::{
    card::{self, PreviewCard},
    tag::{TagHistory, render_history},
    urls::Urls,
};

/// Page to which many statuses link.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
pub struct TrendsLink {
    /// Preview of the page.
    #[serde(flatten)]
    pub card: PreviewCard,
    /// Usage of the last days, newest day first.
    #[serde(default)]
    pub history: Vec<TagHistory>,
}

/// As [`TrendsLink`], for staff. Like Mastodon, it has two fields that the routes for reviews need.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminTrendsLink {
    /// Id for the routes that approve and reject the link.
    pub id: PreviewCardId,
    /// The link with its usage.
    #[serde(flatten)]
    pub link: TrendsLink,
    /// Whether staff have decided neither about the link nor about its publisher.
    pub requires_review: bool,
}

/// Renders a trending link.
#[must_use]
pub fn render(link: &view::TrendingLink, urls: &Urls) -> TrendsLink {
    TrendsLink { card: card::render(&link.card, urls), history: render_history(&link.history) }
}

/// Renders a trending link for staff.
#[must_use]
pub fn render_for_staff(link: &view::TrendingLink, urls: &Urls) -> AdminTrendsLink {
    AdminTrendsLink { id: link.id, link: render(link, urls), requires_review: link.requires_review }
}
