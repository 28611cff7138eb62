//! What people attach to statuses: pictures, short films without sound, videos, recordings.

use std::{fmt, str::FromStr};

use siskin_ids::{AccountId, MediaId, ScheduledStatusId, StatusId};

/// What an attachment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MediaKind {
    /// Something that cannot be shown.
    #[default]
    Unknown,
    Image,
    /// A video without sound that plays again and again.
    Gifv,
    Video,
    Audio,
}

impl MediaKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Unknown, Self::Image, Self::Gifv, Self::Video, Self::Audio];

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Image => "image",
            Self::Gifv => "gifv",
            Self::Video => "video",
            Self::Audio => "audio",
        }
    }

    /// The stored number.
    #[must_use]
    pub const fn number(self) -> i16 {
        self as i16
    }

    /// The kind with this stored number.
    #[must_use]
    pub fn from_number(number: i16) -> Self {
        Self::ALL.into_iter().find(|kind| kind.number() == number).unwrap_or_default()
    }

    /// Whether there is something to see of which a part can be the one that counts.
    #[must_use]
    pub const fn has_focus(self) -> bool {
        !matches!(self, Self::Audio)
    }
}

/// What has become of an upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MediaStage {
    /// It is still being worked on.
    Waiting,
    /// It can be shown.
    Ready,
    /// It could not be used, for this reason: words for whoever sent it.
    Failed(String),
}

/// The point of a picture that must be seen, whatever is cut off: both coordinates from -1 to 1,
/// 0 is the middle, and the vertical one grows upwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Focus {
    /// In millionths.
    x: i32,
    y: i32,
}

const MILLION: i32 = 1_000_000;

impl Focus {
    /// The middle.
    pub const MIDDLE: Self = Self { x: 0, y: 0 };

    /// The point at these millionths; what lies outside is brought to the edge.
    #[must_use]
    pub fn from_millionths(x: i32, y: i32) -> Self {
        Self { x: x.clamp(-MILLION, MILLION), y: y.clamp(-MILLION, MILLION) }
    }

    /// Horizontal and vertical, in millionths.
    #[must_use]
    pub const fn millionths(self) -> (i32, i32) {
        (self.x, self.y)
    }

    /// From -1 (left) to 1 (right).
    #[must_use]
    pub fn x(self) -> f64 {
        f64::from(self.x) / f64::from(MILLION)
    }

    /// From -1 (below) to 1 (above).
    #[must_use]
    pub fn y(self) -> f64 {
        f64::from(self.y) / f64::from(MILLION)
    }
}

/// The text is no focal point.
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
    // What is not a number is in no range.
    if !(-1.0..=1.0).contains(&number) {
        return Err(InvalidFocus);
    }
    #[expect(clippy::cast_possible_truncation, reason = "between minus and plus a million")]
    let millionths = (number * f64::from(MILLION)).round() as i32;
    Ok(millionths)
}

/// The size of a picture or a video, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PixelSize {
    pub width: u32,
    pub height: u32,
}

/// What is known of the sound of a video or a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sound {
    /// Such as `aac`.
    pub codec: String,
    /// Samples in a second.
    pub sample_rate: u32,
    /// Such as `stereo`.
    pub channels: String,
}

/// What is known of something that plays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Playing {
    pub duration_us: u64,
    /// Bits in a second.
    pub bitrate: u64,
    /// Frames in so many seconds, as a fraction; None for what has no frames.
    pub frame_rate: Option<(u32, u32)>,
    pub sound: Option<Sound>,
}

/// The colours that suit the cover of a recording, as `#rrggbb`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Colors {
    pub background: String,
    pub foreground: String,
    pub accent: String,
}

/// What was measured of an attachment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MediaMeta {
    pub original: Option<PixelSize>,
    /// Of the preview.
    pub small: Option<PixelSize>,
    pub playing: Option<Playing>,
    pub colors: Option<Colors>,
}

/// An attachment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaAttachment {
    pub id: MediaId,
    /// Who uploaded it.
    pub account: AccountId,
    /// What it is attached to.
    pub status: Option<StatusId>,
    /// What holds it until that is published.
    pub scheduled: Option<ScheduledStatusId>,
    pub kind: MediaKind,
    pub stage: MediaStage,
    /// The upload as it came, until it has been worked on.
    pub source: Option<String>,
    /// What is shown, once it is ready.
    pub file: Option<String>,
    /// A small picture of it.
    pub preview: Option<String>,
    /// For those who cannot see or hear it; may be empty.
    pub description: String,
    pub focus: Option<Focus>,
    /// A few blurred colours of the preview (<https://blurha.sh>).
    pub blurhash: Option<String>,
    pub meta: MediaMeta,
}

impl MediaAttachment {
    /// Returns the name that the preview of a waiting video or animation will have: a PNG named like
    /// the upload. `None` for other attachments.
    #[must_use]
    pub fn coming_preview(&self) -> Option<String> {
        let comes = self.stage == MediaStage::Waiting
            && self.preview.is_none()
            && matches!(self.kind, MediaKind::Video | MediaKind::Gifv);
        let (name, _) = self.source.as_deref().filter(|_| comes)?.split_once('.')?;
        Some(format!("{name}.png"))
    }

    /// The names of all its files.
    #[must_use]
    pub fn into_files(self) -> Vec<String> {
        [self.source, self.file, self.preview].into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_back_from_its_number() {
        for kind in MediaKind::ALL {
            assert_eq!(MediaKind::from_number(kind.number()), kind);
        }
        assert_eq!(MediaKind::from_number(99), MediaKind::Unknown);
    }

    #[test]
    fn a_focus_is_shown_as_it_was_given() {
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
    fn what_is_no_point_of_the_picture_is_refused() {
        for text in
            ["a,b", "1", "2,0", "0,-1.01", "NaN,0", "0,inf", "0,0,0", "0,", ",", "0;0", "0x1,0"]
        {
            assert_eq!(text.parse::<Focus>(), Err(InvalidFocus), "{text}");
        }
    }
}
