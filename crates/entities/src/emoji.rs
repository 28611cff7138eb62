//! Custom emojis.

use crate::picture::Picture;

/// A small picture that is typed as `:shortcode:`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomEmoji {
    /// Without the colons.
    pub shortcode: String,
    pub picture: Picture,
    /// Under which heading pickers show it.
    pub category: Option<String>,
    /// Whether pickers offer it; it is shown where it is typed all the same.
    pub visible_in_picker: bool,
}
