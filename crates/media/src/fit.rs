//! Cropping and scaling of images.

use image::{DynamicImage, RgbaImage, imageops::FilterType};

use siskin_entities::Focus;

use crate::Fit;

/// Crops and scales the image to the requested shape.
pub(crate) fn apply(image: DynamicImage, fit: Fit) -> DynamicImage {
    match fit {
        Fit::Fill { width, height } => {
            let (x, y, wide, high) = middle((image.width(), image.height()), (width, height));
            let whole = (wide, high) == (image.width(), image.height());
            let cut = if whole { image } else { image.crop_imm(x, y, wide, high) };
            scale(cut, width, height)
        }
        Fit::Within { width, height } => {
            let (wide, high) = within((image.width(), image.height()), (width, height));
            scale(image, wide, high)
        }
        Fit::Pixels(most) => {
            let (wide, high) = of_pixels((image.width(), image.height()), most);
            scale(image, wide, high)
        }
    }
}

/// Returns the largest part of an image that has the proportions of `shape`, centred on the focal
/// point as closely as the edges allow.
pub(crate) fn around(image: &DynamicImage, shape: (u32, u32), focus: Focus) -> DynamicImage {
    let size = (image.width(), image.height());
    let (_, _, wide, high) = middle(size, shape);
    let (x, y) = focus.millionths();
    // The vertical coordinate of the focal point grows upwards.
    image.crop_imm(offset(size.0, wide, x), offset(size.1, high, -y), wide, high)
}

/// Returns the start of a part of a side, centred on a point from -1 to 1 in millionths.
fn offset(side: u32, part: u32, point: i32) -> u32 {
    let middle = (i64::from(point) + 1_000_000) * i64::from(side) / 2_000_000;
    let start = (middle - i64::from(part) / 2).clamp(0, i64::from(side - part));
    u32::try_from(start).unwrap_or(0)
}

/// Returns the largest centred part of an image with the proportions of `shape`: left, top, width,
/// height.
fn middle((wide, high): (u32, u32), shape: (u32, u32)) -> (u32, u32, u32, u32) {
    let (width, height) = (u64::from(shape.0), u64::from(shape.1));
    let by_height = u64::from(high) * width / height;
    let by_width = u64::from(wide) * height / width;
    // Neither length exceeds the side that it is cut from, which is a `u32`.
    let side = |length: u64, most: u32| u32::try_from(length).unwrap_or(most).clamp(1, most);
    let (width, height) = if by_height <= u64::from(wide) {
        (side(by_height, wide), high)
    } else {
        (wide, side(by_width, high))
    };
    ((wide - width) / 2, (high - height) / 2, width, height)
}

/// Returns the size that fits into the limits, with the same proportions; never larger than the
/// image.
fn within((wide, high): (u32, u32), (width, height): (u32, u32)) -> (u32, u32) {
    if wide <= width && high <= height {
        return (wide, high);
    }
    let scaled = |length: u32, by: u32, from: u32| {
        let length = u64::from(length) * u64::from(by) / u64::from(from);
        u32::try_from(length).unwrap_or(u32::MAX).max(1)
    };
    if u64::from(wide) * u64::from(height) >= u64::from(high) * u64::from(width) {
        (width, scaled(high, width, wide))
    } else {
        (scaled(wide, height, high), height)
    }
}

/// Returns the size with at most `most` pixels and the same proportions; never larger than the
/// image.
fn of_pixels((wide, high): (u32, u32), most: u32) -> (u32, u32) {
    let pixels = u64::from(wide) * u64::from(high);
    if pixels <= u64::from(most) {
        return (wide, high);
    }
    // The square of a side: width² = most · width / height.
    let side = |length: u32, other: u32| {
        let square = u64::from(most) * u64::from(length) / u64::from(other);
        u32::try_from(square.isqrt()).unwrap_or(u32::MAX).clamp(1, length)
    };
    let (width, height) = (side(wide, high), side(high, wide));
    // A side of one pixel cannot shrink further.
    if width == 1 {
        (1, high.min(most))
    } else if height == 1 {
        (wide.min(most), 1)
    } else {
        (width, height)
    }
}

fn scale(image: DynamicImage, width: u32, height: u32) -> DynamicImage {
    if (image.width(), image.height()) == (width, height) {
        return image;
    }
    match image {
        DynamicImage::ImageRgba8(mut image) => {
            premultiply_alpha(&mut image);
            let mut scaled = scale_channels(image.into(), width, height).into_rgba8();
            unpremultiply_alpha(&mut scaled);
            scaled.into()
        }
        other => scale_channels(other, width, height),
    }
}

/// Scales most of the way by plain averages, which is fast and keeps the buffers of the filter
/// small.
fn scale_channels(image: DynamicImage, width: u32, height: u32) -> DynamicImage {
    let far = image.width() / 4 > width && image.height() / 4 > height;
    let near = if far { image.thumbnail_exact(width * 2, height * 2) } else { image };
    near.resize_exact(width, height, FilterType::CatmullRom)
}

/// Premultiplies alpha, so that invisible pixels do not colour their neighbours.
fn premultiply_alpha(image: &mut RgbaImage) {
    for pixel in image.pixels_mut() {
        let [red, green, blue, alpha] = pixel.0;
        let premultiplied = |channel: u8| {
            let product = u16::from(channel) * u16::from(alpha);
            u8::try_from((product + 127) / 255).unwrap_or(u8::MAX)
        };
        pixel.0 = [premultiplied(red), premultiplied(green), premultiplied(blue), alpha];
    }
}

fn unpremultiply_alpha(image: &mut RgbaImage) {
    for pixel in image.pixels_mut() {
        let [red, green, blue, alpha] = pixel.0;
        let unpremultiplied = |channel: u8| {
            let full = (u16::from(channel) * 255 + u16::from(alpha) / 2) / u16::from(alpha.max(1));
            u8::try_from(full).unwrap_or(u8::MAX)
        };
        pixel.0 = [unpremultiplied(red), unpremultiplied(green), unpremultiplied(blue), alpha];
    }
}

#[cfg(test)]
mod tests {
    use image::Rgba;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn transparent_pixels_do_not_colour_visible_ones() {
        let mut image = RgbaImage::from_pixel(64, 64, Rgba([0, 0, 0, 0]));
        for (x, _, pixel) in image.enumerate_pixels_mut() {
            if x < 32 {
                *pixel = Rgba([250, 10, 10, 255]);
            }
        }
        let scaled = scale(image.into(), 9, 9).into_rgba8();
        for pixel in scaled.pixels().filter(|pixel| pixel.0[3] > 16) {
            assert!(pixel.0[0] > 235 && pixel.0[1] < 25, "{pixel:?}");
        }
    }

    #[test]
    fn a_crop_keeps_the_middle() {
        assert_eq!(middle((1000, 100), (400, 400)), (450, 0, 100, 100));
        assert_eq!(middle((100, 1000), (400, 400)), (0, 450, 100, 100));
        assert_eq!(middle((1500, 1500), (1500, 500)), (0, 500, 1500, 500));
        assert_eq!(middle((1, 60_000), (1500, 500)), (0, 29_999, 1, 1));
    }

    #[test]
    fn a_crop_is_as_near_to_the_focal_point_as_possible() {
        assert_eq!(offset(1000, 400, 0), 300);
        assert_eq!(offset(1000, 400, 400_000), 500);
        assert_eq!(offset(1000, 400, 1_000_000), 600);
        assert_eq!(offset(1000, 400, -1_000_000), 0);
        assert_eq!(offset(1000, 1000, -1_000_000), 0);
    }

    #[test]
    fn a_pixel_limit_keeps_the_proportions() {
        assert_eq!(of_pixels((7680, 4320), 8_294_400), (3840, 2160));
        assert_eq!(of_pixels((640, 360), 230_400), (640, 360));
        assert_eq!(of_pixels((1000, 4000), 250_000), (250, 1000));
    }

    proptest! {
        #[test]
        fn crops_lie_inside_and_sizes_fit(
            wide in 1_u32..70_000, high in 1_u32..70_000, width in 1_u32..2_000, height in 1_u32..2_000,
        ) {
            let (x, y, w, h) = middle((wide, high), (width, height));
            prop_assert!(w >= 1 && h >= 1 && x + w <= wide && y + h <= high);
            let (w, h) = within((wide, high), (width, height));
            prop_assert!(w >= 1 && h >= 1 && w <= width.min(wide) && h <= height.min(high));
            let most = width * height;
            let (w, h) = of_pixels((wide, high), most);
            prop_assert!(w >= 1 && h >= 1 && w <= wide && h <= high);
            prop_assert!(u64::from(w) * u64::from(h) <= u64::from(most));
        }
    }
}
