//! Hashtags with usage statistics.

use serde::{Deserialize, Serialize};
use siskin_entities as view;
use siskin_ids::{FeaturedTagId, TagId};

use crate::{time::Day, urls::Urls};

/// Hashtag as a standalone entity.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Tag {
    /// Absent if it was never used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<TagId>,
    /// Name without the `#`.
    pub name: String,
    /// Address of the page of the hashtag.
    pub url: String,
    /// Usage of the last days, newest day first.
    #[serde(default)]
    pub history: Vec<TagHistory>,
    /// Absent for anonymous viewers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub following: Option<bool>,
    /// Absent for anonymous viewers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub featuring: Option<bool>,
}

/// Hashtag with its review, for staff.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct AdminTag {
    /// The hashtag.
    #[serde(flatten)]
    pub tag: Tag,
    /// Whether it may trend.
    pub trendable: bool,
    /// Whether statuses can use it. Siskin forbids no hashtag.
    pub usable: bool,
    /// Whether staff have not decided about it yet.
    pub requires_review: bool,
}

/// Hashtag featured on a profile.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct FeaturedTag {
    /// Id of the entry on the profile.
    pub id: FeaturedTagId,
    /// Name without the `#`.
    pub name: String,
    /// Page with the profile's statuses that have the hashtag.
    pub url: String,
    /// Number as a string.
    pub statuses_count: String,
    /// Day of the newest of these statuses; null if there is none.
    pub last_status_at: Option<Day>,
}

/// Usage of a hashtag on one day; all numbers are strings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct TagHistory {
    /// Unix time in seconds of the midnight that begins the day.
    pub day: String,
    /// Number of statuses with the hashtag.
    pub uses: String,
    /// Number of accounts that wrote them.
    pub accounts: String,
}

/// Renders a hashtag for its viewer.
#[must_use]
pub fn render(tag: &view::Tag, urls: &Urls) -> Tag {
    Tag {
        id: tag.id,
        name: tag.name.clone(),
        url: urls.tag(&tag.name),
        history: render_history(&tag.history),
        following: tag.following,
        featuring: tag.featuring,
    }
}

/// Renders a hashtag featured on the profile of its owner.
#[must_use]
pub fn render_featured(tag: &view::FeaturedTag, owner: &view::Account, urls: &Urls) -> FeaturedTag {
    FeaturedTag {
        id: tag.id,
        name: tag.name.clone(),
        url: urls.tagged(&owner.username, &tag.name),
        statuses_count: tag.statuses.to_string(),
        last_status_at: tag.last_status_at.map(Day::of),
    }
}

/// Renders a hashtag for staff.
#[must_use]
pub fn render_for_staff(reviewed: &view::ReviewedTag, urls: &Urls) -> AdminTag {
    AdminTag {
        tag: render(&reviewed.tag, urls),
        trendable: reviewed.trendable,
        usable: true,
        requires_review: reviewed.review == view::Review::Unreviewed,
    }
}

/// Renders the usage of a hashtag or a link.
pub(crate) fn render_history(history: &[view::TagDay]) -> Vec<TagHistory> {
    history.iter().map(render_day).collect()
}

fn render_day(day: &view::TagDay) -> TagHistory {
    TagHistory {
        day: day.day.unix_seconds().to_string(),
        uses: day.uses.to_string(),
        accounts: day.accounts.to_string(),
    }
}
