//! Link previews.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use siskin_entities::{CardKind, PreviewCard as View};

use crate::{account::Account, urls::Urls};

/// Metadata of a page that a status links to. Texts are empty if unknown.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct PreviewCard {
    /// Address of the page.
    pub url: String,
    /// Title as plain text.
    pub title: String,
    /// Summary as plain text.
    pub description: String,
    /// Type of the content: a name of [`siskin_entities::CardKind`].
    #[serde(rename = "type")]
    pub kind: Cow<'static, str>,
    /// Authors of the page. Older servers send only the next two fields.
    pub authors: Vec<PreviewCardAuthor>,
    /// Name of the first author.
    pub author_name: String,
    /// Address of a page about the first author.
    pub author_url: String,
    /// Name of the website.
    pub provider_name: String,
    /// Address of the website.
    pub provider_url: String,
    /// Player frame of a video; otherwise empty.
    pub html: String,
    /// Width of the embedded content or of the image, in pixels; 0 if unknown.
    pub width: u32,
    /// Height in pixels; 0 if unknown.
    pub height: u32,
    /// Address of the image; null if there is none. Siskin serves it itself, so that browsers do
    /// not contact the page for it.
    pub image: Option<String>,
    /// Address of a photo; otherwise empty.
    pub embed_url: String,
    /// Blurred placeholder of the image (<https://blurha.sh>); null if there is none.
    pub blurhash: Option<String>,
    /// Whether an author could be credited but is not verified. Siskin always sends null.
    pub missing_attribution: Option<bool>,
    /// Unix time in seconds.
    pub published_at: Option<String>,
}

/// Author of the page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct PreviewCardAuthor {
    /// Name; may be empty.
    pub name: String,
    /// Address of a page about the author; may be empty.
    pub url: String,
    /// Account of the author; null if unknown, and always on Siskin.
    pub account: Option<Box<Account>>,
}

/// Renders a link preview.
#[must_use]
pub fn render(card: &View, urls: &Urls) -> PreviewCard {
    let is_photo = card.kind == CardKind::Photo;
    PreviewCard {
        url: card.url.clone(),
        title: card.title.clone(),
        description: card.description.clone(),
        kind: card.kind.as_str().into(),
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
