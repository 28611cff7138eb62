//! Parsing of oEmbed responses (oembed.com, 2.3). Their HTML is not used, except for the address of
//! the player frame.

use serde::Deserialize;
use serde_json::Value;
use siskin_entities::CardKind;
use url::Url;

use super::sanitize::{pixels, secure, web};
use crate::html::{self, Piece, attribute};

/// oEmbed metadata of a page.
#[derive(Debug, Default)]
pub(super) struct OEmbed {
    /// Kind of the content; [`CardKind::Link`] if the declared content cannot be embedded.
    pub(super) kind: CardKind,
    pub(super) title: String,
    pub(super) author_name: String,
    pub(super) author_url: Option<Url>,
    pub(super) provider_name: String,
    pub(super) provider_url: Option<Url>,
    pub(super) thumbnail: Option<Url>,
    /// URL of the photo or of the player page.
    pub(super) embed: Option<Url>,
    pub(super) size: (u32, u32),
}

/// Raw response. Many sites send numbers as strings, and `null` instead of strings.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OEmbedResponse {
    r#type: Value,
    title: Value,
    author_name: Value,
    author_url: Value,
    provider_name: Value,
    provider_url: Value,
    thumbnail_url: Value,
    url: Value,
    html: Value,
    width: Value,
    height: Value,
}

impl OEmbed {
    /// Parses a response that was fetched from `url`.
    pub(super) fn read(json: &[u8], url: &Url) -> Option<Self> {
        let response: OEmbedResponse = serde_json::from_slice(json).ok()?;
        let address = |value: &Value| web(url, &text(value));
        // JSON has no entities, but many sites copy their titles from their HTML.
        let sanitize = |value: &Value| html::resolved(&text(value));
        let (kind, embed) = match text(&response.r#type).as_str() {
            "photo" => (CardKind::Photo, address(&response.url)),
            "video" => (CardKind::Video, frame(&text(&response.html), url)),
            _ => (CardKind::Link, None),
        };
        Some(Self {
            kind: if embed.is_some() { kind } else { CardKind::Link },
            title: sanitize(&response.title),
            author_name: sanitize(&response.author_name),
            author_url: address(&response.author_url),
            provider_name: sanitize(&response.provider_name),
            provider_url: address(&response.provider_url),
            thumbnail: address(&response.thumbnail_url),
            size: (pixels(&text(&response.width)), pixels(&text(&response.height))),
            embed,
        })
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// Returns the address of the first frame that is acceptable.
fn frame(html: &str, url: &Url) -> Option<Url> {
    let mut found = None;
    html::read(html, |piece| {
        if let Piece::Start(tag) = piece
            && tag.name == "iframe"
            && found.is_none()
        {
            found = attribute(tag, "src").and_then(|source| secure(url, source));
        }
    });
    found
}
