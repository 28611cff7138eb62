//! The most that a text may hold: in characters, as people count, and in bytes.
//!
//! A character as people see it can be of any size: a letter with a thousand marks is one, and
//! what counts less than it is, such as a link, would be free. So every limit in characters is one
//! in bytes, too.

use crate::{
    count::{count, graphemes},
    token::{Token, links},
};

/// Bytes that a text may have for each character that it may have. The longest characters that
/// people use are emojis of families, of 25 bytes.
pub const BYTES_PER_CHARACTER: usize = 32;

/// The most that a text may hold.
///
/// ```
/// use siskin_text::TextLimit;
///
/// let limit = TextLimit::of(30);
/// assert!(limit.fits(&"👩‍👩‍👧‍👦".repeat(30)) && !limit.fits(&"a".repeat(31)));
/// assert!(!limit.fits(&format!("a{}", "\u{301}".repeat(1000))));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextLimit {
    characters: usize,
}

impl TextLimit {
    /// The limit of so many characters.
    #[must_use]
    pub const fn of(characters: usize) -> Self {
        Self { characters }
    }

    /// In characters.
    #[must_use]
    pub const fn characters(self) -> usize {
        self.characters
    }

    /// In bytes.
    #[must_use]
    pub const fn bytes(self) -> usize {
        self.characters.saturating_mul(BYTES_PER_CHARACTER)
    }

    /// Whether a text fits whose characters are grapheme clusters ([`graphemes`]).
    #[must_use]
    pub fn fits(self, text: &str) -> bool {
        text.len() <= self.bytes()
            && (text.len() <= self.characters || graphemes(text) <= self.characters)
    }

    /// Whether a text fits whose characters are code points, as some fields of the interface
    /// count. A code point has four bytes at most.
    #[must_use]
    pub fn fits_code_points(self, text: &str) -> bool {
        text.len() <= self.bytes() && text.chars().nth(self.characters).is_none()
    }

    /// Whether a status or a profile text fits, by the rules of [`count`].
    #[must_use]
    pub fn fits_status(self, text: &str, spoiler: &str) -> bool {
        text.len().saturating_add(spoiler.len()) <= self.bytes()
            && count(text, spoiler) <= self.characters
    }

    /// Whether the links of a text fit in it. Markdown can name one address and use it often.
    #[must_use]
    pub fn fits_links(self, tokens: &[Token]) -> bool {
        let mut left = self.bytes();
        tokens.iter().all(|token| match link_length(token).map(|length| left.checked_sub(length)) {
            Some(Some(rest)) => {
                left = rest;
                true
            }
            Some(None) => false,
            None => true,
        })
    }
}

/// The limit of so many characters, as settings give it.
impl From<u32> for TextLimit {
    fn from(characters: u32) -> Self {
        Self::of(usize::try_from(characters).unwrap_or(usize::MAX))
    }
}

fn link_length(token: &Token) -> Option<usize> {
    links(std::slice::from_ref(token)).first().map(|link| link.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ContentType, parse_as};
    use proptest::prelude::*;

    const LIMIT: TextLimit = TextLimit::of(500);

    #[test]
    fn characters_and_bytes_are_limited() {
        for fits in ["👩‍👩‍👧‍👦".repeat(500), "é".repeat(500), "x".repeat(500)] {
            assert!(LIMIT.fits(&fits) && LIMIT.fits_status(&fits, ""));
            assert!(!LIMIT.fits(&format!("{fits}x")) && !LIMIT.fits_status(&fits, "x"));
        }
        let marks = format!("a{}", "\u{301}".repeat(LIMIT.bytes() / 2));
        assert!(
            !LIMIT.fits(&marks) && !LIMIT.fits_status(&marks, "") && !LIMIT.fits_status("", &marks)
        );
        assert!(LIMIT.fits_code_points(&"😀".repeat(500)));
        assert!(!LIMIT.fits_code_points(&"x".repeat(501)));
        assert!(TextLimit::of(0).fits("") && !TextLimit::of(0).fits("x"));
    }

    #[test]
    fn what_counts_less_than_it_is_has_a_limit() {
        assert!(LIMIT.fits_status(&format!("https://x.example/{}", "&".repeat(2000)), ""));
        assert!(!LIMIT.fits_status(&format!("https://x.example/{}", "&".repeat(2100)), ""));
        assert!(
            !LIMIT.fits_status(&format!("https://x.example/{} ", "&".repeat(1000)).repeat(17), "")
        );
    }

    #[test]
    fn an_address_that_is_used_often_counts_often() {
        let fits = |times: usize| {
            let text =
                format!("{}\n\n[x]: https://x.example/{}", "[x] ".repeat(times), "y".repeat(1000));
            LIMIT.fits_links(&parse_as(&text, ContentType::Markdown))
        };
        assert!(fits(15) && !fits(16));
    }

    proptest! {
        #[test]
        fn what_fits_is_within_both_limits(text in "(\\PC|\u{301}{0,40}|https://a.example/[a-z]{0,60}){0,12}", most in 0usize..60) {
            let limit = TextLimit::of(most);
            prop_assert_eq!(limit.fits(&text), graphemes(&text) <= most && text.len() <= 32 * most);
            prop_assert_eq!(limit.fits_status(&text, ""), count(&text, "") <= most && text.len() <= 32 * most);
            prop_assert_eq!(limit.fits_code_points(&text), text.chars().count() <= most);
        }
    }
}
