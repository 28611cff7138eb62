//! Pictures for archives.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, RgbImage};

/// Returns a black PNG.
pub fn png(width: u32, height: u32) -> Vec<u8> {
    let mut content = Cursor::new(Vec::new());
    let image = DynamicImage::from(RgbImage::new(width, height));
    image.write_to(&mut content, ImageFormat::Png).unwrap();
    content.into_inner()
}
