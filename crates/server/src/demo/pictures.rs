//! Generated pictures: hills under a sun, with colours that follow from a seed.

use anyhow::Result;
use png::{BitDepth, ColorType, Encoder};
use rand::{Rng, SeedableRng, rngs::StdRng};

/// Red, green and blue.
type Colour = [u8; 3];

/// A picture that can be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scene {
    pub seed: u64,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

impl Scene {
    /// Draws the picture and returns it as a PNG. The same scene always results in the same
    /// picture.
    ///
    /// # Errors
    /// If it cannot be encoded.
    pub fn draw(self) -> Result<Vec<u8>> {
        let mut random = StdRng::seed_from_u64(self.seed);
        let (width, height) = (i64::from(self.width), i64::from(self.height));
        let (top, bottom) = (colour(&mut random, 90, 160), colour(&mut random, 150, 240));
        let (sun, hill) = (colour(&mut random, 200, 255), colour(&mut random, 20, 110));
        let middle = (random.random_range(0..width), random.random_range(0..height / 2 + 1));
        let radius = width.min(height) / random.random_range(5..10);
        let (crest, steepness) = (random.random_range(0..width), random.random_range(1..4));
        let mut pixels = Vec::with_capacity(usize::try_from(width * height * 3)?);
        for y in 0..height {
            for x in 0..width {
                let ground = height / 2 + (x - crest).pow(2) * steepness / (2 * width);
                let is_sun = (x - middle.0).pow(2) + (y - middle.1).pow(2) < radius.pow(2);
                pixels.extend(match (y > ground, is_sun) {
                    (true, _) => hill,
                    (false, true) => sun,
                    (false, false) => between(top, bottom, y, height),
                });
            }
        }
        let mut content = Vec::new();
        let mut encoder = Encoder::new(&mut content, self.width, self.height);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.write_header()?.write_image_data(&pixels)?;
        Ok(content)
    }
}

fn colour(random: &mut StdRng, darkest: u8, lightest: u8) -> Colour {
    std::array::from_fn(|_| random.random_range(darkest..=lightest))
}

/// Interpolates between two colours, at `part` of `whole`.
fn between(from: Colour, to: Colour, part: i64, whole: i64) -> Colour {
    std::array::from_fn(|index| {
        let (start, end) = (i64::from(from[index]), i64::from(to[index]));
        u8::try_from(start + (end - start) * part / whole.max(1)).unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_draw_equal_pictures() {
        let drawn = |seed| Scene { seed, width: 40, height: 30 }.draw().unwrap();
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        let picture = image::load_from_memory(&drawn(3)).unwrap();
        assert_eq!((picture.width(), picture.height()), (40, 30));
    }
}
