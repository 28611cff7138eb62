//! Types of stored files.

use siskin_entities::usage::FileKind;

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
    /// A part of the export of an account. Only its owner gets it, from a route of its own.
    Export,
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
            Self::Export => "export",
        }
    }

    /// Returns the kind as which staff see the file.
    #[must_use]
    pub const fn kind(self) -> FileKind {
        match self {
            Self::Picture(_) => FileKind::Picture,
            Self::Mp4 => FileKind::Video,
            Self::Mp3 => FileKind::Audio,
            Self::Upload => FileKind::Upload,
            Self::Export => FileKind::Export,
        }
    }

    /// Returns the type with this file name extension.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "mp4" => Some(Self::Mp4),
            "mp3" => Some(Self::Mp3),
            "upload" => Some(Self::Upload),
            "export" => Some(Self::Export),
            other => Format::of_extension(other).map(Self::Picture),
        }
    }

    /// Returns the media type for `Content-Type`, or `None` for files that `/media`
    /// does not serve.
    #[must_use]
    pub const fn media_type(self) -> Option<&'static str> {
        match self {
            Self::Picture(format) => Some(format.media_type()),
            Self::Mp4 => Some("video/mp4"),
            Self::Mp3 => Some("audio/mpeg"),
            Self::Upload | Self::Export => None,
        }
    }
}

impl From<Format> for FileType {
    fn from(format: Format) -> Self {
        Self::Picture(format)
    }
}
