//! The parts that make the statuses of a generated network varied.

use std::time::Duration;

use rand::{Rng, rngs::StdRng};
use siskin_entities::polls::{Definition, Limits, PollRequest};

use super::{
    network::scene,
    pictures::Scene,
    texts::{self, Language},
};

/// Maximum length of a text that is lengthened, in characters: hashtags and a name must still fit.
const LONG: usize = 380;
/// Limits for generated polls. Every instance allows at least as much.
const LIMITS: Limits = Limits {
    options: 4,
    option_chars: 50,
    shortest: Duration::from_secs(300),
    longest: Duration::from_secs(30 * 24 * 3600),
};
/// Sizes of attached pictures, in pixels.
const SHAPES: [(u32, u32); 3] = [(800, 600), (600, 800), (900, 500)];

/// Additions to the text of a status.
#[derive(Debug, Default)]
pub struct Extras {
    pub poll: Option<Definition>,
    pub scenes: Vec<Scene>,
    pub sensitive: bool,
    pub warned: bool,
    /// `true` if the status mentions an account without being a reply.
    pub mentions: bool,
}

impl Extras {
    /// Draws the additions to a public status; `text` may become much shorter or longer.
    pub fn draw(
        random: &mut StdRng,
        language: &Language,
        is_reply: bool,
        text: &mut String,
    ) -> Self {
        let mut extras = Self {
            mentions: random.random_bool(0.1),
            warned: random.random_bool(0.04),
            ..Self::default()
        };
        match random.random_range(0..100) {
            0..8 => *text = texts::word(random, language),
            8..18 => texts::lengthen(random, language, text, LONG),
            _ => {}
        }
        match random.random_range(0..100) {
            0..5 if !is_reply => extras.poll = poll(random, language),
            5..12 => {
                let number = random.random_range(1..=4);
                extras.scenes = (0..number)
                    .map(|_| {
                        let shape = SHAPES[random.random_range(0..SHAPES.len())];
                        scene(random, shape)
                    })
                    .collect();
                extras.sensitive = random.random_bool(0.3);
            }
            _ => {}
        }
        extras
    }
}

/// Draws a poll. Some polls have ended by now, and some have not.
fn poll(random: &mut StdRng, language: &Language) -> Option<Definition> {
    let days = random.random_range(1..=7);
    let asked = PollRequest {
        options: texts::choices(random, language),
        expires_in: Some(days * 24 * 3600),
        multiple: random.random_bool(0.25),
        hide_totals: random.random_bool(0.1),
    };
    Definition::check(&asked, &LIMITS).ok()
}
