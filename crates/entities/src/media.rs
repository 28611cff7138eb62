//! Attachments of statuses: images, silent looping videos, videos and audio.

use std::{fmt, str::FromStr};

use siskin_ids::{AccountId, MediaId, ScheduledStatusId, StatusId};

use crate::named::{names, numbers};

/// Type of an attachment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MediaKind {
    /// Unknown content that cannot be displayed.
    #[default]
    Unknown,
    /// Still image.
    Image,
    /// Silent video that loops.
    Gifv,
    /// Video with sound.
    Video,
    /// Recording without pictures.
    Audio,
}

names!(MediaKind {
    Unknown = "unknown",
    Image = "image",
    Gifv = "gifv",
    Video = "video",
    Audio = "audio",
});
numbers!(MediaKind, unknown: Unknown);

impl MediaKind {
    /// Returns `true` if the kind is visual, so that it can have a focal point.
    #[must_use]
    pub const fn has_focus(self) -> bool {
        !matches!(self, Self::Audio)
    }
}

/// Processing state of an upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MediaStage {
    /// Processing is not finished.
    Waiting,
    /// The attachment can be displayed.
    Ready,
    /// Processing failed; the text is the error message for the uploader.
    Failed(String),
}

/// Focal point: the point of an image that cropping must keep. Both coordinates range from -1 to 1.
/// 0 is the middle; the vertical coordinate grows upwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Focus {
    /// Coordinates in millionths.
    x: i32,
    y: i32,
}

const MILLION: i32 = 1_000_000;

impl Focus {
    /// The middle.
    pub const MIDDLE: Self = Self { x: 0, y: 0 };

    /// Builds the point from millionths. Values outside of the range are clamped to the edge.
    #[must_use]
    pub fn from_millionths(x: i32, y: i32) -> Self {
        Self { x: x.clamp(-MILLION, MILLION), y: y.clamp(-MILLION, MILLION) }
    }

    /// Returns the horizontal and the vertical coordinate, in millionths.
    #[must_use]
    pub const fn millionths(self) -> (i32, i32) {
        (self.x, self.y)
    }

    /// Returns the horizontal coordinate, from -1 (left) to 1 (right).
    #[must_use]
    pub fn x(self) -> f64 {
        f64::from(self.x) / f64::from(MILLION)
    }

    /// Returns the vertical coordinate, from -1 (bottom) to 1 (top).
    #[must_use]
    pub fn y(self) -> f64 {
        f64::from(self.y) / f64::from(MILLION)
    }
}

/// Error for a text that is not a focal point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidFocus;

impl fmt::Display for InvalidFocus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be two numbers from -1 to 1 with a comma between them")
    }
}

impl std::error::Error for InvalidFocus {}

impl FromStr for Focus {
    type Err = InvalidFocus;

    fn from_str(text: &str) -> Result<Self, InvalidFocus> {
        let (x, y) = text.split_once(',').ok_or(InvalidFocus)?;
        Ok(Self { x: coordinate(x)?, y: coordinate(y)? })
    }
}

fn coordinate(text: &str) -> Result<i32, InvalidFocus> {
    let number: f64 = text.trim().parse().map_err(|_| InvalidFocus)?;
    // NaN is outside of every range and is rejected, too.
    if !(-1.0..=1.0).contains(&number) {
        return Err(InvalidFocus);
    }
    #[expect(clippy::cast_possible_truncation, reason = "between minus and plus a million")]
    let millionths = (number * f64::from(MILLION)).round() as i32;
    Ok(millionths)
}

/// Size of an image or a video, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PixelSize {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// Properties of the audio track of a video or a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sound {
    /// Codec name, such as `aac`.
    pub codec: String,
    /// Samples per second.
    pub sample_rate: u32,
    /// Channel layout, such as `stereo`.
    pub channels: String,
}

/// Properties of playable media.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Playing {
    /// Duration in microseconds.
    pub duration_us: u64,
    /// Bits per second.
    pub bitrate: u64,
    /// Frame rate as a fraction (frames, seconds); `None` for audio.
    pub frame_rate: Option<(u32, u32)>,
    /// The audio track; `None` if it is silent.
    pub sound: Option<Sound>,
}

/// Colours that match the cover art of a recording, as `#rrggbb`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Colors {
    /// Background as `#rrggbb`.
    pub background: String,
    /// Text as `#rrggbb`.
    pub foreground: String,
    /// Highlights as `#rrggbb`.
    pub accent: String,
}

/// Measured properties of an attachment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MediaMeta {
    /// Size of the file; `None` for audio.
    pub original: Option<PixelSize>,
    /// Size of the preview.
    pub small: Option<PixelSize>,
    /// Properties of playable media; `None` for images.
    pub playing: Option<Playing>,
    /// Colours for a player of audio; `None` without cover art.
    pub colors: Option<Colors>,
}

/// An attachment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaAttachment {
    /// Id of the attachment.
    pub id: MediaId,
    /// Account that uploaded it.
    pub account: AccountId,
    /// Status that it is attached to.
    pub status: Option<StatusId>,
    /// Scheduled status that holds it until it is published.
    pub scheduled: Option<ScheduledStatusId>,
    /// Type of the content.
    pub kind: MediaKind,
    /// Progress of the processing.
    pub stage: MediaStage,
    /// File name of the unprocessed upload, until processing ends.
    pub source: Option<String>,
    /// File that is served, once it is ready.
    pub file: Option<String>,
    /// Small preview image.
    pub preview: Option<String>,
    /// Alternative text; may be empty.
    pub description: String,
    /// Focal point that the uploader chose; `None` if they chose none.
    pub focus: Option<Focus>,
    /// Placeholder hash of the preview (<https://blurha.sh>).
    pub blurhash: Option<String>,
    /// Measured properties; empty until processing ends.
    pub meta: MediaMeta,
}

impl MediaAttachment {
    /// Returns the name that the preview of a waiting video or animation will have: a PNG named
    /// like the upload. `None` for other attachments.
    #[must_use]
    pub fn coming_preview(&self) -> Option<String> {
        let comes = self.stage == MediaStage::Waiting
            && self.preview.is_none()
            && matches!(self.kind, MediaKind::Video | MediaKind::Gifv);
        let (name, _) = self.source.as_deref().filter(|_| comes)?.split_once('.')?;
        Some(format!("{name}.png"))
    }

    /// Returns the names of all its files.
    #[must_use]
    pub fn into_files(self) -> Vec<String> {
        [self.source, self.file, self.preview].into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_round_trips_through_its_number() {
        for kind in MediaKind::ALL {
            assert_eq!(MediaKind::from_number(kind.number()), kind);
        }
        assert_eq!(MediaKind::from_number(99), MediaKind::Unknown);
    }

    #[test]
    fn a_focus_round_trips_through_text() {
        for (text, x, y) in [
            ("0.42,-0.69", 0.42, -0.69),
            ("-1.0, 1", -1.0, 1.0),
            ("0,0", 0.0, 0.0),
            ("1e-1,.5", 0.1, 0.5),
        ] {
            let focus: Focus = text.parse().unwrap();
            assert_eq!(
                (focus.x().to_string(), focus.y().to_string()),
                (x.to_string(), y.to_string())
            );
        }
        let focus: Focus = "-0.0,-0.0000001".parse().unwrap();
        assert_eq!(focus, Focus::MIDDLE);
    }

    #[test]
    fn an_invalid_focus_is_refused() {
        for text in
            ["a,b", "1", "2,0", "0,-1.01", "NaN,0", "0,inf", "0,0,0", "0,", ",", "0;0", "0x1,0"]
        {
            assert_eq!(text.parse::<Focus>(), Err(InvalidFocus), "{text}");
        }
    }
}
