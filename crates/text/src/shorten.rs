//! Shortens texts for places with little room.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation as _;

/// Mark at the end of a shortened text.
const ELLIPSIS: char = '…';

/// Returns the text if it has at most `characters` characters as users see them and at most `bytes`
/// bytes. Otherwise returns its beginning with an ellipsis, which is within both limits. Cuts no
/// character apart.
///
/// ```
/// use siskin_text::shorten;
///
/// assert_eq!(shorten("Siskins", 7, 100), "Siskins");
/// assert_eq!(shorten("Siskins sing", 8, 100), "Siskins…");
/// assert_eq!(shorten("👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 2, 100), "👩‍👩‍👧‍👦…");
/// ```
#[must_use]
pub fn shorten(text: &str, characters: usize, bytes: usize) -> Cow<'_, str> {
    if text.len() <= bytes && text.graphemes(true).nth(characters).is_none() {
        return Cow::Borrowed(text);
    }
    let room = bytes.saturating_sub(ELLIPSIS.len_utf8());
    let ends = text.grapheme_indices(true).map(|(at, character)| at + character.len());
    let fitting = ends.take(characters.saturating_sub(1)).take_while(|end| *end <= room);
    let beginning = text[..fitting.last().unwrap_or(0)].trim_end();
    if characters == 0 || bytes < ELLIPSIS.len_utf8() {
        return Cow::Borrowed("");
    }
    Cow::Owned(format!("{beginning}{ELLIPSIS}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graphemes;

    #[test]
    fn a_text_within_the_limits_stays() {
        for text in ["", "a", "é", "Tom & Jerry <3", "e\u{301}"] {
            assert_eq!(shorten(text, 14, 14), text);
        }
    }

    #[test]
    fn a_character_is_kept_or_dropped_as_a_whole() {
        assert_eq!(shorten("e\u{301}e\u{301}e\u{301}", 2, 100), "e\u{301}…");
        assert_eq!(shorten("日本語", 3, 8), "日…");
        assert_eq!(shorten(&format!("a{}", "\u{301}".repeat(100)), 5, 50), "…");
    }

    #[test]
    fn there_is_no_space_before_the_ellipsis() {
        assert_eq!(shorten("one two three", 5, 100), "one…");
        assert_eq!(shorten("one\n\ntwo", 5, 100), "one…");
    }

    #[test]
    fn nothing_fits_into_no_room() {
        assert_eq!(shorten("a", 0, 100), "");
        assert_eq!(shorten("aaa", 3, 2), "");
    }

    proptest! {
        #[test]
        fn both_limits_hold(text in any::<String>(), characters in 0_usize..20, bytes in 0_usize..40) {
            let shortened = shorten(&text, characters, bytes);
            prop_assert!(shortened.len() <= bytes);
            prop_assert!(graphemes(&shortened) <= characters);
        }
    }
}
