//! oEmbed documents, with which other sites embed a status of this server (oEmbed 1.0,
//! <https://oembed.com/>).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use siskin_entities as view;

use crate::urls::Urls;

/// Status to be displayed in a frame.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct OEmbed {
    /// `rich`.
    #[serde(rename = "type")]
    pub kind: Cow<'static, str>,
    /// Version of oEmbed: `1.0`.
    pub version: Cow<'static, str>,
    /// Title as plain text.
    pub title: String,
    /// Name of the author as plain text.
    pub author_name: String,
    /// Address of the author's profile page.
    pub author_url: String,
    /// Domain of the instance.
    pub provider_name: String,
    /// Address of the instance.
    pub provider_url: String,
    /// Cache lifetime of the response, in seconds.
    pub cache_age: u32,
    /// Frame element.
    pub html: String,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels; null if the site sets no limit.
    pub height: Option<u32>,
}

/// Available space on the site, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmbedSize {
    /// Width in pixels.
    pub width: u32,
    /// Maximum height in pixels; `None` means no limit.
    pub height: Option<u32>,
}

/// One day, in seconds.
const CACHE_AGE: u32 = 86_400;

/// Renders the document for `status`, with the frame page at `frame` and the space in `size`.
/// `name` is the author's name, isolated for plain text.
#[must_use]
pub fn render(
    status: &view::StatusBody,
    name: String,
    frame: &str,
    size: EmbedSize,
    urls: &Urls,
) -> OEmbed {
    let author = &status.account;
    OEmbed {
        kind: "rich".into(),
        version: "1.0".into(),
        title: format!("Status by {name}"),
        author_name: name,
        author_url: urls.profile(&author.username),
        provider_name: urls.domain().to_owned(),
        provider_url: format!("{}/", urls.base()),
        cache_age: CACHE_AGE,
        html: write_frame(frame, size, likely_height(status)),
        width: size.width,
        height: size.height,
    }
}

/// Returns the frame element. Addresses of statuses contain nothing that needs escaping.
fn write_frame(address: &str, size: EmbedSize, likely: u32) -> String {
    let height = size.height.map_or(likely, |most| most.min(likely));
    format!(
        "<iframe src=\"{address}\" width=\"{}\" height=\"{height}\" \
         style=\"max-width: 100%; border: 0\" loading=\"lazy\"></iframe>",
        size.width
    )
}

/// Estimates the height of a status in pixels. Longer statuses scroll in their frame. No script
/// reports the real height, so that sites do not have to allow scripts.
fn likely_height(status: &view::StatusBody) -> u32 {
    let view::StatusSource { text, spoiler_text, .. } = &status.source;
    let shown = if spoiler_text.is_empty() { text } else { spoiler_text };
    let lines: usize = shown.lines().map(|line| 1 + line.chars().count() / 40).sum();
    let lines = u32::try_from(lines).unwrap_or(u32::MAX);
    lines.saturating_mul(25).saturating_add(190).min(600)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_keeps_its_maximum_size() {
        let frame =
            |height| write_frame("https://a.example/x", EmbedSize { width: 300, height }, 240);
        assert_eq!(
            frame(None),
            "<iframe src=\"https://a.example/x\" width=\"300\" height=\"240\" \
             style=\"max-width: 100%; border: 0\" loading=\"lazy\"></iframe>"
        );
        assert!(frame(Some(200)).contains("height=\"200\""));
        assert!(frame(Some(900)).contains("height=\"240\""));
    }
}
