//! What pictures are for, and what that asks of them.

use siskin_policy::limits;

use crate::{Format, Refusal};

/// The shape that a picture is brought to, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// Exactly so large: what does not fit around the middle is cut off.
    Fill { width: u32, height: u32 },
    /// At most so large, whole; what is smaller stays as it is.
    Within { width: u32, height: u32 },
    /// At most so many pixels, whole; what has fewer stays as it is.
    Pixels(u32),
}

/// What a picture is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Purpose {
    pub(crate) fit: Fit,
    max_bytes: u64,
    max_pixels: u64,
}

impl Purpose {
    /// The picture of an account.
    pub const AVATAR: Self = Self::of_profile(400, 400);
    /// The picture above a profile.
    pub const HEADER: Self = Self::of_profile(1500, 500);
    /// A custom emoji.
    pub const EMOJI: Self = Self {
        fit: Fit::Within { width: 256, height: 256 },
        max_bytes: limits::MAX_EMOJI_BYTES,
        max_pixels: limits::MAX_EMOJI_PIXELS,
    };

    /// A picture that is attached to a status.
    pub const ATTACHMENT: Self = Self {
        fit: Fit::Pixels(8_294_400),
        max_bytes: limits::MAX_IMAGE_BYTES,
        max_pixels: limits::MAX_IMAGE_PIXELS,
    };
    /// The small picture that stands for an attachment.
    pub const PREVIEW: Self = Self { fit: Fit::Pixels(230_400), ..Self::ATTACHMENT };

    /// The picture of a link preview.
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

    /// The format of an upload that is no larger than allowed.
    pub(crate) fn admit(self, upload: &[u8]) -> Result<Format, Refusal> {
        self.admit_beginning(upload, u64::try_from(upload.len()).unwrap_or(u64::MAX))
    }

    /// The same, of an upload that begins so and has so many bytes.
    pub(crate) fn admit_beginning(self, upload: &[u8], bytes: u64) -> Result<Format, Refusal> {
        self.admit_bytes(bytes)?;
        Format::sniff(upload).ok_or(Refusal::Format)
    }

    /// Whether an upload may have so many bytes.
    pub(crate) fn admit_bytes(self, bytes: u64) -> Result<(), Refusal> {
        match bytes {
            0 => Err(Refusal::Empty),
            bytes if bytes > self.max_bytes => Err(Refusal::Bytes(self.max_bytes)),
            _ => Ok(()),
        }
    }

    /// Whether a picture of this size, which its first bytes tell, may be decoded.
    pub(crate) fn admit_size(self, (width, height): (u32, u32)) -> Result<(), Refusal> {
        match u64::from(width) * u64::from(height) {
            0 => Err(Refusal::Damaged),
            pixels if pixels > self.max_pixels => Err(Refusal::Pixels(self.max_pixels)),
            _ => Ok(()),
        }
    }
}
