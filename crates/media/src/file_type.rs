//! What lies in stored files.

use crate::Format;

/// What a stored file holds, which the end of its name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileType {
    /// A picture that was written here.
    Picture(Format),
    /// A video.
    Mp4,
    /// A recording.
    Mp3,
    /// An upload as it came, which waits to be worked on. It is never served.
    Upload,
}

impl FileType {
    /// The end of its files' names, without the dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Picture(format) => format.extension(),
            Self::Mp4 => "mp4",
            Self::Mp3 => "mp3",
            Self::Upload => "upload",
        }
    }

    /// The type whose files' names end so.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "mp4" => Some(Self::Mp4),
            "mp3" => Some(Self::Mp3),
            "upload" => Some(Self::Upload),
            other => Format::of_extension(other).map(Self::Picture),
        }
    }

    /// Its name in a `Content-Type`; None for what is not served.
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
