//! The picture of the instance: one upload becomes a wide picture for previews, and squares for
//! icons.

use crate::{
    Fit, Purpose, Result,
    attachment::{self, Preview},
    decode::{self, Still},
    fit,
};

/// Width and height of the wide picture, in pixels: the shape in which other sites show links.
const WIDE: (u32, u32) = (1200, 630);
/// Sides of the icons, in pixels.
const ICONS: [u32; 2] = [192, 512];

/// Creates all versions of the picture from an upload, each cropped around the middle. Animations
/// become their first frame.
pub(crate) fn versions(upload: &[u8]) -> Result<Vec<Preview>> {
    let purpose = Purpose::ATTACHMENT;
    let format = purpose.admit(upload)?;
    let _lock = decode::lock_if_large(upload);
    // No version needs more pixels, and each crops a copy.
    let still = decode::still(upload, format, purpose)?.fitted(purpose.fit);
    let size = (still.image.width(), still.image.height());
    let version = |shape: Fit| {
        let image = fit::apply(still.image.clone(), shape);
        attachment::small(Still { image, profile: still.profile.clone() }, format)
    };
    shapes(size).into_iter().map(version).collect()
}

/// Returns the shapes to create from a picture of this size. The larger wide one would only be
/// blurred if the picture is small.
fn shapes((width, height): (u32, u32)) -> Vec<Fit> {
    let double = (2 * WIDE.0, 2 * WIDE.1);
    let is_large = width >= double.0 && height >= double.1;
    let wide = [Some(WIDE), is_large.then_some(double)].into_iter().flatten();
    let squares = ICONS.into_iter().map(|side| (side, side));
    wide.chain(squares).map(|(width, height)| Fit::Fill { width, height }).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use image::{DynamicImage, ImageFormat, RgbImage};
    use siskin_entities::media::PixelSize;

    use super::*;
    use crate::{Error, Refusal};

    fn sizes(width: u32, height: u32) -> Vec<(u32, u32)> {
        let mut upload = Cursor::new(Vec::new());
        let image = DynamicImage::ImageRgb8(RgbImage::new(width, height));
        image.write_to(&mut upload, ImageFormat::Jpeg).unwrap();
        let versions = versions(&upload.into_inner()).unwrap();
        assert!(versions.iter().all(|version| version.blurhash.is_some()));
        let size = |PixelSize { width, height }| (width, height);
        versions.into_iter().map(|version| size(version.size)).collect()
    }

    #[test]
    fn each_upload_gets_the_same_shapes() {
        let usual = [(1200, 630), (192, 192), (512, 512)];
        assert_eq!(sizes(30, 90), usual);
        assert_eq!(sizes(2400, 1259), usual);
        assert_eq!(sizes(2400, 1260), [(1200, 630), (2400, 1260), (192, 192), (512, 512)]);
    }

    #[test]
    fn other_files_are_refused() {
        let refused = |upload: &[u8]| matches!(versions(upload), Err(Error::Refused(_)));
        assert!(refused(b"") && refused(b"<svg></svg>"));
        let is_empty = matches!(versions(b""), Err(Error::Refused(Refusal::Empty)));
        assert!(is_empty);
    }
}
