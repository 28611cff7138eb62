//! Types of stored files.

use crate::Format;

/// Type of a stored file, which determines its extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileType {
    /// An image that this server encoded.
    Picture(Format),
    /// A video.
    Mp4,
    /// A recording.
    Mp3,
    /// An unprocessed upload. It is never served.
    Upload,
}

impl FileType {
    /// Returns the file name extension, without the dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Picture(format) => format.extension(),
            Self::Mp4 => "mp4",
            Self::Mp3 => "mp3",
            Self::Upload => "upload",
        }
    }

    /// Returns the type with this file name extension.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "mp4" => Some(Self::Mp4),
            "mp3" => Some(Self::Mp3),
            "upload" => Some(Self::Upload),
            other => Format::of_extension(other).map(Self::Picture),
        }
    }

    /// Returns the media type for `Content-Type`, or `None` for files that are not served.
    #[must_use]
    pub const fn media_type(self) -> Option<&'static str> {
        match self {
            Self::Picture(format) => Some(format.media_type()),
            Self::Mp4 => Some("video/mp4"),
            Self::Mp3 => Some("audio/mpeg"),
            Self::Upload => None,
        }
    }
}

impl From<Format> for FileType {
    fn from(format: Format) -> Self {
        Self::Picture(format)
    }
}
