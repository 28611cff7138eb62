//! Announcements of the operator, and reactions to them.

use serde::{Deserialize, Serialize};
use siskin_entities as view;
use siskin_ids::{AnnouncementId, StatusId};

use crate::{
    emoji::{self, CustomEmoji},
    status::{self, StatusMention, StatusTag},
    time::Instant,
    urls::Urls,
};

/// Announcement to all users of a server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Announcement {
    /// Id of the announcement.
    pub id: AnnouncementId,
    /// Text as HTML.
    pub content: String,
    /// Beginning of the announced event; null if there is none.
    pub starts_at: Option<Instant>,
    /// End of the announced event; null if there is none.
    pub ends_at: Option<Instant>,
    /// Whether the event consists of whole days, so that clients show only dates.
    pub all_day: bool,
    /// Time of the publication.
    pub published_at: Instant,
    /// Time of the last change.
    pub updated_at: Instant,
    /// Whether the viewer dismissed it. Absent in streams, where it is the same for all viewers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<bool>,
    /// Mentioned accounts.
    #[serde(default)]
    pub mentions: Vec<StatusMention>,
    /// Statuses to which the text links.
    #[serde(default)]
    pub statuses: Vec<LinkedStatus>,
    /// Hashtags in the text.
    #[serde(default)]
    pub tags: Vec<StatusTag>,
    /// Custom emojis in the text.
    #[serde(default)]
    pub emojis: Vec<CustomEmoji>,
    /// Reactions by emoji.
    #[serde(default)]
    pub reactions: Vec<Reaction>,
}

/// Status to which an announcement links.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct LinkedStatus {
    /// Id of the status.
    pub id: StatusId,
    /// Address of its page.
    pub url: String,
}

/// Reactions with the same emoji.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Reaction {
    /// A Unicode emoji, or the shortcode of a custom emoji.
    pub name: String,
    /// Number of accounts.
    pub count: i64,
    /// Whether the viewer is one of them. Absent in streams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub me: Option<bool>,
    /// Address of the image of a custom emoji; absent for a Unicode emoji.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Address of its image without animation; absent for a Unicode emoji.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub static_url: Option<String>,
}

/// Payload of the event `announcement.reaction`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct ReactionEvent {
    /// A Unicode emoji, or the shortcode of a custom emoji.
    pub name: String,
    /// Number of accounts that use it now.
    pub count: i64,
    /// Id of the announcement.
    pub announcement_id: AnnouncementId,
}

/// Renders a published announcement for its viewer, or without the fields of a viewer.
#[must_use]
pub fn render(shown: &view::ShownAnnouncement, urls: &Urls) -> Announcement {
    let announcement = &shown.announcement;
    let period = announcement.period;
    let linked = |status: &view::announcement::LinkedStatus| LinkedStatus {
        id: status.id,
        url: urls.status(&status.username, status.id),
    };
    Announcement {
        id: announcement.id,
        content: shown.content.clone(),
        starts_at: period.map(|period| Instant(period.starts_at())),
        ends_at: period.map(|period| Instant(period.ends_at())),
        all_day: period.is_some_and(view::announcement::Period::is_days),
        published_at: Instant(announcement.published_at.unwrap_or(announcement.created_at)),
        updated_at: Instant(announcement.updated_at),
        read: shown.read,
        mentions: shown.mentions.iter().map(|it| status::render_mention(it, urls)).collect(),
        statuses: shown.statuses.iter().map(linked).collect(),
        tags: shown.tags.iter().map(|it| status::render_tag(it, urls)).collect(),
        emojis: emoji::render_all(&shown.emojis, urls),
        reactions: shown.reactions.iter().map(|it| render_reaction(it, urls)).collect(),
    }
}

fn render_reaction(reaction: &view::AnnouncementReaction, urls: &Urls) -> Reaction {
    let picture = reaction.emoji.as_ref().map(|emoji| &emoji.picture);
    Reaction {
        name: reaction.name.clone(),
        count: reaction.count,
        me: reaction.me,
        url: picture.map(|picture| urls.file(&picture.file)),
        static_url: picture.map(|picture| urls.file(picture.still())),
    }
}
