//! Link previews.

use serde::Serialize;
use siskin_entities::{CardKind, PreviewCard as View};

use crate::{never::Never, urls::Urls};

/// Metadata of a page that a status links to. Texts are empty if unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PreviewCard {
    pub url: String,
    pub title: String,
    pub description: String,
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub authors: Vec<PreviewCardAuthor>,
    pub author_name: String,
    pub author_url: String,
    pub provider_name: String,
    pub provider_url: String,
    /// Player frame of a video; otherwise empty.
    pub html: String,
    pub width: u32,
    pub height: u32,
    /// URL on this server, so that browsers do not contact the page for the image.
    pub image: Option<String>,
    /// Address of a photo; otherwise empty.
    pub embed_url: String,
    pub blurhash: Option<String>,
    /// Whether an author could be credited but is not verified. This never happens on this server.
    pub missing_attribution: Option<bool>,
    /// Unix time in seconds.
    pub published_at: Option<String>,
}

/// Author of the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PreviewCardAuthor {
    pub name: String,
    pub url: String,
    pub account: Option<Never>,
}

/// Renders a link preview.
#[must_use]
pub fn render(card: &View, urls: &Urls) -> PreviewCard {
    let is_photo = card.kind == CardKind::Photo;
    PreviewCard {
        url: card.url.clone(),
        title: card.title.clone(),
        description: card.description.clone(),
        kind: card.kind.as_str(),
        authors: authors(card),
        author_name: card.author_name.clone(),
        author_url: card.author_url.clone(),
        provider_name: card.provider_name.clone(),
        provider_url: card.provider_url.clone(),
        html: card.html(),
        width: card.width,
        height: card.height,
        image: card.image.as_ref().map(|image| urls.file(&image.file)),
        embed_url: if is_photo { card.embed_url.clone() } else { String::new() },
        blurhash: card.image.as_ref().and_then(|image| image.blurhash.clone()),
        missing_attribution: None,
        published_at: card.published_at.map(|time| time.unix_seconds().to_string()),
    }
}

fn authors(card: &View) -> Vec<PreviewCardAuthor> {
    let (name, url) = (card.author_name.clone(), card.author_url.clone());
    if name.is_empty() && url.is_empty() {
        return Vec::new();
    }
    vec![PreviewCardAuthor { name, url, account: None }]
}
