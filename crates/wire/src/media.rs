//! Attachments of statuses.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use siskin_entities::{
    Focus, MediaAttachment as View, MediaKind,
    media::{PixelSize, Playing},
};
use siskin_ids::MediaId;

use crate::urls::Urls;

/// Attachment. It has no URL while it is processed. For a video or an animation, the preview
/// already has its later URL, but the file does not exist yet.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct MediaAttachment {
    /// Id of the attachment.
    pub id: MediaId,
    /// Type of the content: a name of [`MediaKind`].
    #[serde(rename = "type")]
    pub kind: Cow<'static, str>,
    /// Address of the file; null while it is processed.
    pub url: Option<String>,
    /// Small preview image; null if there is nothing visual.
    pub preview_url: Option<String>,
    /// URL on the server of origin; null for local uploads.
    pub remote_url: Option<String>,
    /// Null while nothing is known. The focal point of the upload is shown before anything is
    /// measured.
    pub meta: Option<MediaMeta>,
    /// Alternative text; null if there is none.
    pub description: Option<String>,
    /// Blurred placeholder (<https://blurha.sh>); null if there is none.
    pub blurhash: Option<String>,
}

/// Measured properties. For playable media, the first fields repeat data of `original`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct MediaMeta {
    /// Duration as `0:01:28.65`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<String>,
    /// Duration in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<f64>,
    /// Frames per second, rounded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fps: Option<u64>,
    /// Width and height as `1920x1080`, in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
    /// Width in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// Height in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// Width divided by height.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspect: Option<f64>,
    /// Codec of the sound, such as `aac`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audio_encode: Option<String>,
    /// Sample rate of the sound, such as `44100 Hz`; the name is historical.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audio_bitrate: Option<String>,
    /// Layout of the channels, such as `stereo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audio_channels: Option<String>,
    /// Focal point; absent for audio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focus: Option<MediaFocus>,
    /// The file itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original: Option<MediaDetails>,
    /// The preview image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub small: Option<MediaDetails>,
    /// Colours for a player of audio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colors: Option<MediaColors>,
}

/// Focal point that cropping must keep.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
pub struct MediaFocus {
    /// From -1 (left) to 1 (right).
    pub x: f64,
    /// From -1 (bottom) to 1 (top).
    pub y: f64,
}

/// Measured properties of one file. Images also have their size as text.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct MediaDetails {
    /// Width in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// Height in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// Width and height as `640x360`, in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
    /// Width divided by height.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspect: Option<f64>,
    /// Fraction: `30000/1001`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame_rate: Option<String>,
    /// Duration in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<f64>,
    /// Bits per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bitrate: Option<u64>,
}

/// Colours that match the cover of a recording.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct MediaColors {
    /// Background as `#rrggbb`.
    pub background: String,
    /// Text as `#rrggbb`.
    pub foreground: String,
    /// Highlights as `#rrggbb`.
    pub accent: String,
}

/// Renders an attachment.
#[must_use]
pub fn render(media: &View, urls: &Urls) -> MediaAttachment {
    let preview = media.preview.clone().or_else(|| media.coming_preview());
    MediaAttachment {
        id: media.id,
        kind: media.kind.as_str().into(),
        url: media.file.as_deref().map(|file| urls.file(file)),
        preview_url: preview.as_deref().map(|file| urls.file(file)),
        remote_url: None,
        meta: (media.file.is_some() || media.focus.is_some()).then(|| render_meta(media)),
        description: Some(media.description.clone()).filter(|text| !text.is_empty()),
        blurhash: media.blurhash.clone(),
    }
}

/// Renders attachments in their order.
#[must_use]
pub fn render_all(media: &[View], urls: &Urls) -> Vec<MediaAttachment> {
    media.iter().map(|media| render(media, urls)).collect()
}

fn render_meta(media: &View) -> MediaMeta {
    let meta = &media.meta;
    let common = MediaMeta {
        focus: render_focus(media.kind, media.focus),
        original: meta.original.map(picture),
        small: meta.small.map(picture),
        ..MediaMeta::default()
    };
    let Some(playing) = &meta.playing else { return common };
    let size = meta.original;
    let sound = playing.sound.as_ref();
    MediaMeta {
        length: Some(length(playing.duration_us)),
        duration: Some(seconds(playing.duration_us)),
        fps: playing.frame_rate.map(frames_per_second),
        size: size.map(as_text),
        width: size.map(|size| size.width),
        height: size.map(|size| size.height),
        aspect: size.map(aspect),
        audio_encode: sound.map(|sound| sound.codec.clone()),
        audio_bitrate: sound.map(|sound| format!("{} Hz", sound.sample_rate)),
        audio_channels: sound.map(|sound| sound.channels.clone()),
        original: Some(played(size, playing)),
        colors: meta.colors.as_ref().map(|colors| MediaColors {
            background: colors.background.clone(),
            foreground: colors.foreground.clone(),
            accent: colors.accent.clone(),
        }),
        ..common
    }
}

/// Returns the focal point. Audio has none; an image without a chosen one has the middle.
fn render_focus(kind: MediaKind, focus: Option<Focus>) -> Option<MediaFocus> {
    let focus = match kind {
        MediaKind::Image => Some(focus.unwrap_or(Focus::MIDDLE)),
        MediaKind::Gifv | MediaKind::Video => focus,
        MediaKind::Audio | MediaKind::Unknown => None,
    };
    focus.map(|focus| MediaFocus { x: focus.x(), y: focus.y() })
}

fn picture(size: PixelSize) -> MediaDetails {
    MediaDetails {
        width: Some(size.width),
        height: Some(size.height),
        size: Some(as_text(size)),
        aspect: Some(aspect(size)),
        ..MediaDetails::default()
    }
}

fn played(size: Option<PixelSize>, playing: &Playing) -> MediaDetails {
    MediaDetails {
        width: size.map(|size| size.width),
        height: size.map(|size| size.height),
        frame_rate: playing.frame_rate.map(|(frames, seconds)| format!("{frames}/{seconds}")),
        duration: Some(seconds(playing.duration_us)),
        bitrate: Some(playing.bitrate),
        ..MediaDetails::default()
    }
}

fn as_text(size: PixelSize) -> String {
    format!("{}x{}", size.width, size.height)
}

fn aspect(size: PixelSize) -> f64 {
    f64::from(size.width) / f64::from(size.height.max(1))
}

fn seconds(microseconds: u64) -> f64 {
    std::time::Duration::from_micros(microseconds).as_secs_f64()
}

/// Formats a duration like `0:01:28.65`: hours, minutes, seconds and hundredths.
fn length(microseconds: u64) -> String {
    let hundredths = microseconds / 10_000;
    let (seconds, minutes) = (hundredths / 100, hundredths / 6000);
    format!("{}:{:02}:{:02}.{:02}", minutes / 60, minutes % 60, seconds % 60, hundredths % 100)
}

fn frames_per_second((frames, seconds): (u32, u32)) -> u64 {
    let (frames, seconds) = (u64::from(frames), u64::from(seconds.max(1)));
    (frames + seconds / 2) / seconds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_rates_are_written_as_clients_read_them() {
        assert_eq!(length(88_650_000), "0:01:28.65");
        assert_eq!(length(3_723_009_999), "1:02:03.00");
        assert_eq!(frames_per_second((30_000, 1001)), 30);
        assert_eq!(frames_per_second((25, 0)), 25);
    }
}
