//! Purposes of images and their requirements.

use siskin_policy::limits;

use crate::{Format, Refusal};

/// Target shape of an image, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// Exactly this size, cropped around the middle.
    Fill { width: u32, height: u32 },
    /// At most this size, not cropped; smaller images stay unchanged.
    Within { width: u32, height: u32 },
    /// At most this number of pixels, not cropped; smaller images stay unchanged.
    Pixels(u32),
}

/// Purpose of an image, with its target shape and upload limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Purpose {
    pub(crate) fit: Fit,
    max_bytes: u64,
    max_pixels: u64,
}

impl Purpose {
    /// Avatar of an account.
    pub const AVATAR: Self = Self::of_profile(400, 400);
    /// Header of a profile.
    pub const HEADER: Self = Self::of_profile(1500, 500);
    /// Custom emoji.
    pub const EMOJI: Self = Self {
        fit: Fit::Within { width: 256, height: 256 },
        max_bytes: limits::MAX_EMOJI_BYTES,
        max_pixels: limits::MAX_EMOJI_PIXELS,
    };

    /// Image attachment of a status.
    pub const ATTACHMENT: Self = Self {
        fit: Fit::Pixels(8_294_400),
        max_bytes: limits::MAX_IMAGE_BYTES,
        max_pixels: limits::MAX_IMAGE_PIXELS,
    };
    /// Preview image of an attachment.
    pub const PREVIEW: Self = Self { fit: Fit::Pixels(230_400), ..Self::ATTACHMENT };

    /// Image of a link preview.
    pub const CARD: Self = Self {
        fit: Fit::Pixels(518_400),
        max_bytes: limits::MAX_CARD_IMAGE_BYTES,
        max_pixels: limits::MAX_CARD_IMAGE_PIXELS,
    };

    const fn of_profile(width: u32, height: u32) -> Self {
        Self {
            fit: Fit::Fill { width, height },
            max_bytes: limits::MAX_IMAGE_BYTES,
            max_pixels: limits::MAX_IMAGE_PIXELS,
        }
    }

    /// Checks the length of an upload and returns its format.
    pub(crate) fn admit(self, upload: &[u8]) -> Result<Format, Refusal> {
        self.admit_beginning(upload, u64::try_from(upload.len()).unwrap_or(u64::MAX))
    }

    /// Checks an upload by its first bytes and its length in bytes, and returns its format.
    pub(crate) fn admit_beginning(self, upload: &[u8], bytes: u64) -> Result<Format, Refusal> {
        self.admit_bytes(bytes)?;
        Format::sniff(upload).ok_or(Refusal::Format)
    }

    /// Checks that an upload may have this length in bytes.
    pub(crate) fn admit_bytes(self, bytes: u64) -> Result<(), Refusal> {
        match bytes {
            0 => Err(Refusal::Empty),
            bytes if bytes > self.max_bytes => Err(Refusal::Bytes(self.max_bytes)),
            _ => Ok(()),
        }
    }

    /// Checks that an image of this declared size may be decoded.
    pub(crate) fn admit_size(self, (width, height): (u32, u32)) -> Result<(), Refusal> {
        match u64::from(width) * u64::from(height) {
            0 => Err(Refusal::Damaged),
            pixels if pixels > self.max_pixels => Err(Refusal::Pixels(self.max_pixels)),
            _ => Ok(()),
        }
    }
}
