//! Length limits of texts, in characters as users see them and in bytes.
//!
//! A user-perceived character can have any size: a letter with a thousand marks is one character.
//! Content that counts less than its length, such as a link, would have no limit. So every limit in
//! characters implies one in bytes.

use crate::{
    count::{count, graphemes},
    token::{Token, links},
};

/// Number of bytes allowed per allowed character. The longest characters in use are family emojis
/// of 25 bytes.
pub const BYTES_PER_CHARACTER: usize = 32;

/// Length limit of a text.
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
    /// Creates a limit of this many characters.
    #[must_use]
    pub const fn of(characters: usize) -> Self {
        Self { characters }
    }

    /// Returns the limit in characters.
    #[must_use]
    pub const fn characters(self) -> usize {
        self.characters
    }

    /// Returns the limit in bytes.
    #[must_use]
    pub const fn bytes(self) -> usize {
        self.characters.saturating_mul(BYTES_PER_CHARACTER)
    }

    /// Returns `true` if the text is within the limit, counted in grapheme clusters
    /// ([`graphemes`]).
    #[must_use]
    pub fn fits(self, text: &str) -> bool {
        text.len() <= self.bytes()
            && (text.len() <= self.characters || graphemes(text) <= self.characters)
    }

    /// Returns `true` if the text is within the limit, counted in code points, as some fields of
    /// the API count. A code point has at most four bytes.
    #[must_use]
    pub fn fits_code_points(self, text: &str) -> bool {
        text.len() <= self.bytes() && text.chars().nth(self.characters).is_none()
    }

    /// Returns `true` if a status or profile text is within the limit, by the rules of [`count`].
    #[must_use]
    pub fn fits_status(self, text: &str, spoiler: &str) -> bool {
        text.len().saturating_add(spoiler.len()) <= self.bytes()
            && count(text, spoiler) <= self.characters
    }

    /// Returns `true` if the links of a text are together within the limit in bytes. Markdown can
    /// define an address once and use it many times.
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

/// Creates a limit from the value of a setting.
impl From<u32> for TextLimit {
    fn from(characters: u32) -> Self {
        Self::of(usize::try_from(characters).unwrap_or(usize::MAX))
    }
}

fn link_length(token: &Token) -> Option<usize> {
    links(std::slice::from_ref(token)).first().map(|link| link.len())
}

#[cfg(test)]
#[cfg(feature = "markdown")]
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
    fn links_have_a_limit_in_bytes() {
        assert!(LIMIT.fits_status(&format!("https://x.example/{}", "&".repeat(2000)), ""));
        assert!(!LIMIT.fits_status(&format!("https://x.example/{}", "&".repeat(2100)), ""));
        assert!(
            !LIMIT.fits_status(&format!("https://x.example/{} ", "&".repeat(1000)).repeat(17), "")
        );
    }

    #[test]
    fn a_repeated_address_counts_each_time() {
        let fits = |times: usize| {
            let text =
                format!("{}\n\n[x]: https://x.example/{}", "[x] ".repeat(times), "y".repeat(1000));
            LIMIT.fits_links(&parse_as(&text, ContentType::Markdown))
        };
        assert!(fits(15) && !fits(16));
    }

    proptest! {
        #[test]
        fn a_text_that_fits_is_within_both_limits(text in "(\\PC|\u{301}{0,40}|https://a.example/[a-z]{0,60}){0,12}", most in 0usize..60) {
            let limit = TextLimit::of(most);
            prop_assert_eq!(limit.fits(&text), graphemes(&text) <= most && text.len() <= 32 * most);
            prop_assert_eq!(limit.fits_status(&text, ""), count(&text, "") <= most && text.len() <= 32 * most);
            prop_assert_eq!(limit.fits_code_points(&text), text.chars().count() <= most);
        }
    }
}
