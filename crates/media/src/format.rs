//! Image formats that are accepted and served.

use image::ImageFormat;

/// Image format that browsers display and that cannot contain scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    Png,
    Jpeg,
    Gif,
    WebP,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Png, Self::Jpeg, Self::Gif, Self::WebP];

    /// Detects the format by the first bytes of a file.
    #[must_use]
    pub fn sniff(content: &[u8]) -> Option<Self> {
        match content {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::WebP),
            _ => None,
        }
    }

    /// Returns the file name extension, without the dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Gif => "gif",
            Self::WebP => "webp",
        }
    }

    /// Returns the format with this file name extension.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.extension() == extension)
    }

    /// Returns the media type for `Content-Type`.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
        }
    }

    pub(crate) const fn as_image(self) -> ImageFormat {
        match self {
            Self::Png => ImageFormat::Png,
            Self::Jpeg => ImageFormat::Jpeg,
            Self::Gif => ImageFormat::Gif,
            Self::WebP => ImageFormat::WebP,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_detected_by_its_first_bytes() {
        assert_eq!(Format::sniff(b"\x89PNG\r\n\x1a\n<html>"), Some(Format::Png));
        assert_eq!(Format::sniff(b"\xff\xd8\xff\xe0"), Some(Format::Jpeg));
        assert_eq!(Format::sniff(b"GIF89a"), Some(Format::Gif));
        assert_eq!(Format::sniff(b"RIFF\0\0\0\0WEBPVP8 "), Some(Format::WebP));
        for other in [
            &b""[..],
            b"\x89PNG",
            b"GIF88a",
            b"RIFF\0\0\0\0AVI ",
            b"<svg xmlns=\"http://www.w3.org/2000/svg\">",
            b"<!doctype html>",
            b"\0\0\0\x1cftypavif",
        ] {
            assert_eq!(Format::sniff(other), None, "{other:?}");
        }
    }

    #[test]
    fn a_format_is_found_by_its_extension() {
        for format in Format::ALL {
            assert_eq!(Format::of_extension(format.extension()), Some(format));
        }
        assert_eq!(Format::of_extension("svg"), None);
    }
}
