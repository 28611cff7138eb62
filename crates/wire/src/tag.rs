//! Hashtags with their use.

use serde::Serialize;
use siskin_entities as view;
use siskin_ids::TagId;

use crate::urls::Urls;

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
    }
}

fn render_day(day: &view::TagDay) -> TagHistory {
    TagHistory {
        day: day.day.unix_seconds().to_string(),
        uses: day.uses.to_string(),
        accounts: day.accounts.to_string(),
    }
}
