//! Custom emojis.

use crate::picture::Picture;

/// Small image that users type as `:shortcode:`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomEmoji {
    /// Name without the colons.
    pub shortcode: String,
    /// Image files.
    pub picture: Picture,
    /// Heading under which emoji pickers list it.
    pub category: Option<String>,
    /// Whether pickers offer the emoji. It is rendered in texts in either case.
    pub visible_in_picker: bool,
}
