//! Hashtags with their use.

use serde::Serialize;
use siskin_entities as view;
use siskin_ids::{FeaturedTagId, TagId};

use crate::{time::Day, urls::Urls};

/// A hashtag shown by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tag {
    /// Absent where it was never used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<TagId>,
    pub name: String,
    pub url: String,
    /// The newest day first.
    pub history: Vec<TagHistory>,
    /// Absent for anonymous readers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub following: Option<bool>,
    /// Absent for anonymous readers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub featuring: Option<bool>,
}

/// A hashtag on a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FeaturedTag {
    pub id: FeaturedTagId,
    pub name: String,
    /// The page of the profile's statuses with it.
    pub url: String,
    /// A number.
    pub statuses_count: String,
    pub last_status_at: Option<Day>,
}

/// How a hashtag was used on one day; all numbers are strings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TagHistory {
    /// Unix seconds of the midnight that began the day.
    pub day: String,
    pub uses: String,
    pub accounts: String,
}

/// The hashtag as its reader sees it.
#[must_use]
pub fn render(tag: &view::Tag, urls: &Urls) -> Tag {
    Tag {
        id: tag.id,
        name: tag.name.clone(),
        url: urls.tag(&tag.name),
        history: tag.history.iter().map(render_day).collect(),
        following: tag.following,
        featuring: tag.featuring,
    }
}

/// The hashtag on the profile of its owner.
#[must_use]
pub fn render_featured(tag: &view::FeaturedTag, owner: &view::Account, urls: &Urls) -> FeaturedTag {
    FeaturedTag {
        id: tag.id,
        name: tag.name.clone(),
        url: urls.tagged(&owner.username, &tag.name),
        statuses_count: tag.statuses.to_string(),
        last_status_at: tag.last_status_at.map(Day),
    }
}

fn render_day(day: &view::TagDay) -> TagHistory {
    TagHistory {
        day: day.day.unix_seconds().to_string(),
        uses: day.uses.to_string(),
        accounts: day.accounts.to_string(),
    }
}
