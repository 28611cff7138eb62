//! What other sites need to show a status of this server among their own words
//! (oEmbed 1.0, <https://oembed.com/>).

use serde::Serialize;
use siskin_entities as view;

use crate::urls::Urls;

/// A status to be shown in a frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OEmbed {
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub version: &'static str,
    pub title: String,
    pub author_name: String,
    pub author_url: String,
    pub provider_name: String,
    pub provider_url: String,
    /// Seconds for which the answer may be kept.
    pub cache_age: u32,
    /// The frame.
    pub html: String,
    /// In pixels.
    pub width: u32,
    /// In pixels; null where the site sets no limit.
    pub height: Option<u32>,
}

/// How much room a site has, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    pub width: u32,
    pub height: Option<u32>,
}

/// A day.
const CACHE_AGE: u32 = 86_400;

/// How a site with this much room shows `status`, whose page for frames is at `frame`. `name` is
/// that of its author, isolated for plain text.
#[must_use]
pub fn render(
    status: &view::StatusBody,
    name: String,
    frame: &str,
    room: Room,
    urls: &Urls,
) -> OEmbed {
    let author = &status.account;
    OEmbed {
        kind: "rich",
        version: "1.0",
        title: format!("Status by {name}"),
        author_name: name,
        author_url: urls.profile(&author.username),
        provider_name: urls.domain().to_owned(),
        provider_url: format!("{}/", urls.base()),
        cache_age: CACHE_AGE,
        html: write_frame(frame, room, likely_height(status)),
        width: room.width,
        height: room.height,
    }
}

/// Addresses of statuses hold nothing that has to be escaped.
fn write_frame(address: &str, room: Room, likely: u32) -> String {
    let height = room.height.map_or(likely, |most| most.min(likely));
    format!(
        "<iframe src=\"{address}\" width=\"{}\" height=\"{height}\" \
         style=\"max-width: 100%; border: 0\" loading=\"lazy\"></iframe>",
        room.width
    )
}

/// About what a status takes, in pixels; what is longer scrolls in its frame. No script tells it
/// later, so that sites need to let none run.
fn likely_height(status: &view::StatusBody) -> u32 {
    let shown = if status.spoiler_text.is_empty() { &status.text } else { &status.spoiler_text };
    let lines: usize = shown.lines().map(|line| 1 + line.chars().count() / 40).sum();
    let lines = u32::try_from(lines).unwrap_or(u32::MAX);
    lines.saturating_mul(25).saturating_add(190).min(600)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_keeps_to_its_room() {
        let frame = |height| write_frame("https://a.example/x", Room { width: 300, height }, 240);
        assert_eq!(
            frame(None),
            "<iframe src=\"https://a.example/x\" width=\"300\" height=\"240\" \
             style=\"max-width: 100%; border: 0\" loading=\"lazy\"></iframe>"
        );
        assert!(frame(Some(200)).contains("height=\"200\""));
        assert!(frame(Some(900)).contains("height=\"240\""));
    }
}
