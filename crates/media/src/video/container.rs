//! Detection of video and audio formats by the first bytes.

use super::still;

/// Accepted container format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Container {
    /// MP4, QuickTime, 3GP, M4A.
    Mp4,
    /// WebM and Matroska.
    WebM,
    Ogg,
    Mp3,
    Flac,
    Wav,
    Aac,
}

impl Container {
    /// Detects the format by the first bytes of a file. The streams in a container are only known
    /// after the file is read.
    pub(crate) fn sniff(content: &[u8]) -> Option<Self> {
        match content {
            // Images of this family are not playable.
            _ if still::is_still(content) => None,
            [_, _, _, _, b'f', b't', b'y', b'p', ..] => Some(Self::Mp4),
            // Old QuickTime files begin with other boxes.
            [_, _, _, _, b'm', b'o', b'o', b'v', ..] | [_, _, _, _, b'm', b'd', b'a', b't', ..] => {
                Some(Self::Mp4)
            }
            [0x1a, 0x45, 0xdf, 0xa3, ..] => Some(Self::WebM),
            [b'O', b'g', b'g', b'S', ..] => Some(Self::Ogg),
            [b'I', b'D', b'3', ..] | [0xff, 0xfb | 0xfa | 0xf3 | 0xf2, ..] => Some(Self::Mp3),
            [b'f', b'L', b'a', b'C', ..] => Some(Self::Flac),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => Some(Self::Wav),
            [0xff, 0xf1 | 0xf9, ..] => Some(Self::Aac),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_is_detected_by_its_first_bytes() {
        for (content, container) in [
            (&b"\0\0\0\x20ftypisom"[..], Some(Container::Mp4)),
            (b"\0\0\0\x14ftypqt  ", Some(Container::Mp4)),
            (b"\0\0\0\x08mdat", Some(Container::Mp4)),
            (b"\0\0\0\x1cftypavif", None),
            (b"\0\0\0\x1cftypheic", None),
            (b"\x1a\x45\xdf\xa3", Some(Container::WebM)),
            (b"OggS\0", Some(Container::Ogg)),
            (b"ID3\x04", Some(Container::Mp3)),
            (b"\xff\xfb\x90", Some(Container::Mp3)),
            (b"fLaC", Some(Container::Flac)),
            (b"RIFF\0\0\0\0WAVE", Some(Container::Wav)),
            (b"RIFF\0\0\0\0AVI ", None),
            (b"#EXTM3U\nfile:///etc/passwd", None),
            (b"ffconcat version 1.0", None),
            (b"", None),
        ] {
            assert_eq!(Container::sniff(content), container, "{content:?}");
        }
    }
}
