//! Encoding of images.

use image::{
    DynamicImage, ImageEncoder,
    codecs::{jpeg::JpegEncoder, png::PngEncoder},
};

use crate::{Encoded, Error, Format, Result, decode::Still};

/// JPEG quality out of 100; above it, files grow without a visible difference.
const JPEG_QUALITY: u8 = 90;

/// Encodes an image in a suitable format. Photographs, recognised by the format of the upload,
/// become JPEG. Drawings and all images with transparency become PNG.
pub(crate) fn still(picture: Still, from: Format) -> Result<Encoded> {
    let Still { image, profile } = picture;
    let image = without_opaque_alpha(image);
    let is_photograph = matches!(from, Format::Jpeg | Format::WebP) && !image.color().has_alpha();
    let mut content = Vec::new();
    let format = if is_photograph {
        write(&image, JpegEncoder::new_with_quality(&mut content, JPEG_QUALITY), profile)?;
        Format::Jpeg
    } else {
        write(&image, PngEncoder::new(&mut content), profile)?;
        Format::Png
    };
    Ok(Encoded { format, content })
}

fn write(
    image: &DynamicImage,
    mut encoder: impl ImageEncoder,
    profile: Option<Vec<u8>>,
) -> Result<()> {
    if let Some(profile) = profile {
        // Slightly wrong colours are better than no image.
        drop(encoder.set_icc_profile(profile));
    }
    image.write_with_encoder(encoder).map_err(Error::Encoding)
}

fn without_opaque_alpha(image: DynamicImage) -> DynamicImage {
    match image {
        DynamicImage::ImageRgba8(image) if image.pixels().all(|pixel| pixel.0[3] == u8::MAX) => {
            DynamicImage::ImageRgb8(DynamicImage::ImageRgba8(image).into_rgb8())
        }
        other => other,
    }
}
