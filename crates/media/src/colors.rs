//! Colours that match the cover of a recording. Clients use them for the player.

use std::collections::BTreeMap;

use image::Rgb;
use siskin_entities::media::Colors;

use crate::Encoded;

/// Side length to which the cover is reduced for the analysis, in pixels.
const SIDE: u32 = 48;
/// Minimum contrast of text on a background (WCAG 2.2, 1.4.3).
const READABLE: f64 = 4.5;
/// Minimum contrast of larger elements.
const DISTINGUISHABLE: f64 = 2.0;

/// Returns the colours of an image. The most frequent one is the background. The most frequent one
/// that is readable on it is the foreground (black or white if there is none). The most saturated
/// visible one is the accent.
pub(crate) fn of(picture: &Encoded) -> Option<Colors> {
    let format = picture.format.as_image();
    let image = image::load_from_memory_with_format(&picture.content, format).ok()?;
    let common = by_frequency(image.thumbnail(SIDE, SIDE).into_rgb8().pixels());
    let background = *common.first()?;
    let with_contrast =
        |least| common.iter().copied().filter(move |c| contrast(*c, background) >= least);
    let black_and_white = [Rgb([255; 3]), Rgb([0; 3])];
    let better = |a: Rgb<u8>, b: Rgb<u8>| {
        if contrast(a, background) >= contrast(b, background) { a } else { b }
    };
    let foreground = with_contrast(READABLE)
        .next()
        .unwrap_or_else(|| better(black_and_white[0], black_and_white[1]));
    let accent =
        with_contrast(DISTINGUISHABLE).max_by_key(|color| strength(*color)).unwrap_or(foreground);
    Some(Colors {
        background: hexadecimal(background),
        foreground: hexadecimal(foreground),
        accent: hexadecimal(accent),
    })
}

/// Groups similar colours and returns their averages, most frequent first.
fn by_frequency<'p>(pixels: impl Iterator<Item = &'p Rgb<u8>>) -> Vec<Rgb<u8>> {
    let mut alike: BTreeMap<[u8; 3], (u32, [u32; 3])> = BTreeMap::new();
    for pixel in pixels {
        let (count, sums) = alike.entry(pixel.0.map(|channel| channel >> 5)).or_default();
        *count += 1;
        for (sum, channel) in sums.iter_mut().zip(pixel.0) {
            *sum += u32::from(channel);
        }
    }
    let mut found: Vec<(u32, [u32; 3])> = alike.into_values().collect();
    found.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let average = |(count, sums): (u32, [u32; 3])| {
        Rgb(sums.map(|sum| u8::try_from(sum / count).unwrap_or(u8::MAX)))
    };
    found.into_iter().map(average).collect()
}

/// Returns the difference between the largest and the smallest channel.
fn strength(color: Rgb<u8>) -> u8 {
    let [red, green, blue] = color.0;
    red.max(green).max(blue) - red.min(green).min(blue)
}

/// Returns the contrast ratio, from 1 to 21 (WCAG 2.2, "contrast ratio").
fn contrast(one: Rgb<u8>, other: Rgb<u8>) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// Returns the relative luminance, from 0 to 1 (WCAG 2.2, "relative luminance").
fn luminance(color: Rgb<u8>) -> f64 {
    let linear = color.0.map(|channel| {
        let part = f64::from(channel) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    });
    0.0722f64.mul_add(linear[2], 0.7152f64.mul_add(linear[1], 0.2126 * linear[0]))
}

fn hexadecimal(color: Rgb<u8>) -> String {
    let [red, green, blue] = color.0;
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use image::{DynamicImage, ImageFormat, RgbImage};

    use super::*;
    use crate::Format;

    fn colors(draw: impl Fn(u32, u32) -> [u8; 3]) -> Colors {
        let image = RgbImage::from_fn(48, 48, |x, y| Rgb(draw(x, y)));
        let mut content = std::io::Cursor::new(Vec::new());
        DynamicImage::from(image).write_to(&mut content, ImageFormat::Png).unwrap();
        of(&Encoded { format: Format::Png, content: content.into_inner() }).unwrap()
    }

    #[test]
    fn the_colours_of_a_cover_are_extracted() {
        let found = colors(|x, y| match (x, y) {
            (0..30, _) => [16, 16, 40],
            (_, 0..40) => [230, 230, 220],
            _ => [240, 20, 20],
        });
        assert_eq!(found.background, "#101028");
        assert_eq!(found.foreground, "#e6e6dc");
        assert_eq!(found.accent, "#f01414");
    }

    #[test]
    fn a_single_colour_gets_a_readable_foreground() {
        let white = Colors {
            background: "#ffffff".to_owned(),
            foreground: "#000000".to_owned(),
            accent: "#000000".to_owned(),
        };
        assert_eq!(colors(|_, _| [255; 3]), white);
        assert_eq!(colors(|_, _| [0; 3]).foreground, "#ffffff");
    }
}
