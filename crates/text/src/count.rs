//! Length of a text as clients count it.

use crate::{parse::parse, token::Token};
use unicode_segmentation::UnicodeSegmentation;

/// Number of characters that a link counts as; announced as `characters_reserved_per_url`.
pub const CHARACTERS_PER_URL: usize = 23;

/// Longer links count in full, as typed. Browsers do not accept longer ones either.
pub const LONGEST_LINK: usize = 2048;

/// Returns the length of a status in grapheme clusters, including the content warning. A link of up
/// to [`LONGEST_LINK`] characters counts [`CHARACTERS_PER_URL`]. Of a mention, only `@name` counts.
/// The text is counted as typed in every content type, because clients do not interpret its markup.
/// Profile texts are counted the same way, with an empty content warning.
///
/// ```
/// assert_eq!(siskin_text::count("Hi @bob@town.example, see https://example.com/long", ""), 36);
/// assert_eq!(siskin_text::count("👩‍👩‍👧‍👦", "cw"), 3);
/// ```
pub fn count(text: &str, spoiler: &str) -> usize {
    let mut counted = spoiler.to_owned();
    for token in parse(text) {
        match token {
            Token::Text(text) => counted.push_str(&text),
            Token::LineBreak => counted.push('\n'),
            Token::Mention { handle, .. } => counted.extend(["@", &handle.username]),
            Token::Hashtag(hashtag) => counted.extend(["#", &hashtag.display]),
            // Plain text has no markup.
            Token::Code(_) | Token::Open(_) | Token::Close => {}
            Token::Url(url) if is_too_long(&url.typed) => counted.push_str(&url.typed),
            Token::Url(_) => counted.push_str(&"x".repeat(CHARACTERS_PER_URL)),
        }
    }
    graphemes(&counted)
}

fn is_too_long(link: &str) -> bool {
    link.chars().nth(LONGEST_LINK).is_some()
}

/// Returns the length of a text in grapheme clusters, without the rules for links and mentions.
/// Used for display names, poll options and descriptions.
pub fn graphemes(text: &str) -> usize {
    text.graphemes(true).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn characters_are_grapheme_clusters() {
        assert_eq!(count("", ""), 0);
        assert_eq!(count("héllo", ""), 5);
        assert_eq!(count("he\u{301}llo", ""), 5);
        assert_eq!(count("👩‍👩‍👧‍👦🇪🇺", ""), 2);
        assert_eq!(count("हिन्दी", ""), graphemes("हिन्दी"));
        assert_eq!(count("a\nb", ""), 3);
        assert_eq!(count("a\r\nb", ""), 3);
    }

    #[test]
    fn the_content_warning_counts() {
        assert_eq!(count("abc", "cw"), 5);
        assert_eq!(count("", "@bob@example.com"), 16);
    }

    #[test]
    fn links_count_the_same_however_long() {
        assert_eq!(count("https://example.com", ""), 23);
        assert_eq!(count(&format!("see https://example.com/{}", "x".repeat(400)), ""), 27);
        assert_eq!(count("http://a.example/b.", ""), 24);
        let link = |length: usize| format!("https://a.example/{}", "é".repeat(length - 18));
        assert_eq!(count(&link(LONGEST_LINK), ""), 23);
        assert_eq!(count(&link(LONGEST_LINK + 1), ""), LONGEST_LINK + 1);
    }

    #[test]
    fn the_domain_of_a_mention_is_free() {
        assert_eq!(count("@bob hi", ""), 7);
        assert_eq!(count("@bob@a.very.long.domain.example:3000 hi", ""), 7);
    }

    proptest! {
        #[test]
        fn text_without_links_counts_every_character(text in "[a-zà-ü ]{0,40}") {
            prop_assert_eq!(count(&text, ""), graphemes(&text));
        }

        #[test]
        fn separate_lines_add_up(one in "[^\\p{M}\\p{Cf}]{0,20}", two in "[^\\p{M}\\p{Cf}\n]{0,20}") {
            let together = format!("{one} \n{two}");
            prop_assert_eq!(count(&together, ""), count(&format!("{one} "), "") + 1 + count(&two, ""));
        }
    }
}
