//! Decoding of images. Nothing is decoded before its size is known and allowed.

use std::{
    io::Cursor,
    sync::{Mutex, MutexGuard, PoisonError},
};

use image::{DynamicImage, ImageDecoder, ImageReader, Limits, metadata::Orientation};

use crate::{Fit, Format, Purpose, Refusal, fit};

/// Memory that a decoder may use besides the pixels, such as for compressed texts, in bytes.
const DECODER_BYTES: u64 = 512 << 20;
/// Maximum length of a colour profile in bytes; longer ones contain more than colour data.
const MAX_PROFILE: usize = 1 << 20;

/// Images with more pixels are processed one at a time, because each may take hundreds of
/// megabytes.
const LARGE_PIXELS: u64 = 8_294_400;

/// Waits until no other large image is processed, if this image is large. Must not be called on
/// threads that must not block.
pub(crate) fn lock_if_large(upload: &[u8]) -> Option<MutexGuard<'static, ()>> {
    let format = Format::sniff(upload)?;
    let reader = ImageReader::with_format(Cursor::new(upload), format.as_image());
    lock_for_size(reader.into_dimensions().ok()?)
}

/// Waits like [`lock_if_large`], for an image of this size.
pub(crate) fn lock_for_size((width, height): (u32, u32)) -> Option<MutexGuard<'static, ()>> {
    static ONE: Mutex<()> = Mutex::new(());
    let is_large = u64::from(width) * u64::from(height) > LARGE_PIXELS;
    is_large.then(|| ONE.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Decoded image in upright orientation, with eight bits per channel.
pub(crate) struct Still {
    pub(crate) image: DynamicImage,
    /// ICC profile of the RGB colour space, if the image has one.
    pub(crate) profile: Option<Vec<u8>>,
}

impl Still {
    pub(crate) fn fitted(self, fit: Fit) -> Self {
        Self { image: fit::apply(self.image, fit), ..self }
    }
}

/// Decodes an image, or the first frame of an animation.
pub(crate) fn still(upload: &[u8], format: Format, purpose: Purpose) -> Result<Still, Refusal> {
    let mut reader = ImageReader::with_format(Cursor::new(upload), format.as_image());
    reader.limits(decoder_limits());
    let mut decoder = reader.into_decoder().map_err(damaged)?;
    purpose.admit_size(decoder.dimensions())?;
    // Invalid values of these two are ignored.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let profile = decoder.icc_profile().ok().flatten().filter(|profile| is_for_rgb(profile));
    let mut image = eight_bits(DynamicImage::from_decoder(decoder).map_err(damaged)?);
    image.apply_orientation(orientation);
    Ok(Still { image, profile })
}

pub(crate) fn decoder_limits() -> Limits {
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(DECODER_BYTES);
    limits
}

/// Maps the error to a refusal. Its reason is only logged, because it does not help the uploader.
#[expect(clippy::needless_pass_by_value, reason = "`map_err` requires this signature")]
pub(crate) fn damaged(error: image::ImageError) -> Refusal {
    log::debug!("cannot decode an upload: {error}");
    Refusal::Damaged
}

/// Returns `true` for an ICC profile of an RGB colour space. The decoder converts other colour
/// spaces to RGB, which makes their profiles meaningless. The colour space is at a fixed offset
/// (ICC.1:2022, 7.2).
pub(crate) fn is_for_rgb(profile: &[u8]) -> bool {
    profile.len() <= MAX_PROFILE && profile.get(16..20) == Some(b"RGB ")
}

fn eight_bits(image: DynamicImage) -> DynamicImage {
    if image.color().has_alpha() {
        DynamicImage::ImageRgba8(image.into_rgba8())
    } else {
        DynamicImage::ImageRgb8(image.into_rgb8())
    }
}
