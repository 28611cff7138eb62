//! Custom emojis.

use serde::{Deserialize, Serialize};
use siskin_entities as view;

use crate::urls::Urls;

/// Small image for `:shortcode:` in texts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct CustomEmoji {
    /// Name without the colons.
    pub shortcode: String,
    /// Address of the image, which may be animated.
    pub url: String,
    /// URL of the image without animation.
    pub static_url: String,
    /// Whether emoji pickers offer it.
    #[serde(default)]
    pub visible_in_picker: bool,
    /// Heading in emoji pickers; null if it has none.
    pub category: Option<String>,
}

/// Renders emojis in their order.
#[must_use]
pub fn render_all(emojis: &[view::CustomEmoji], urls: &Urls) -> Vec<CustomEmoji> {
    let render = |emoji: &view::CustomEmoji| CustomEmoji {
        shortcode: emoji.shortcode.clone(),
        url: urls.file(&emoji.picture.file),
        static_url: urls.file(emoji.picture.still()),
        visible_in_picker: emoji.visible_in_picker,
        category: emoji.category.clone(),
    };
    emojis.iter().map(render).collect()
}
