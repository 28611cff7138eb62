//! The rule for hashtags: valid names and equality of names.
//!
//! [`crate::parse()`] finds hashtags in a text, by the rule in this module.

use crate::{
    characters::{LITERAL, is_alphanumeric, is_invisible, is_word},
    fold::fold,
    limit::TextLimit,
};
use unicode_normalization::UnicodeNormalization;

/// Maximum length of a hashtag name, in code points of its folded form. Longer names are invalid.
pub const MAX_HASHTAG_LENGTH: usize = 255;

/// Hashtag.
///
/// A name consists of letters, digits and marks of any script, and of separators between them.
/// Separators are the middle dots `·` and `・`, the zero-width non-joiner of Persian spelling, and
/// the underscore, which may also begin and end a name. A name has at least one letter, or digits
/// joined by a separator (`24_7`). Hence neither `#123` nor `#_` is a hashtag.
///
/// Two hashtags are equal if their `name` is equal: compatibility forms, width and case are folded,
/// and Latin letters lose their diacritics (`#BLÅHAJ` is `#blahaj`).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Hashtag {
    /// Folded name, by which hashtags are stored, looked up and compared.
    pub name: String,
    /// Name as typed, without the sign; used for display.
    pub display: String,
}

impl Hashtag {
    /// Parses a hashtag name, with or without a leading `#` or its full-width form `＃`. Returns
    /// `None` for forbidden characters or a name that is too long.
    ///
    /// ```
    /// use siskin_text::Hashtag;
    ///
    /// let typed = Hashtag::parse("#BLÅHAJ").unwrap();
    /// assert_eq!((typed.name.as_str(), typed.display.as_str()), ("blahaj", "BLÅHAJ"));
    /// assert_eq!(Hashtag::parse("#123"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let display = text.strip_prefix(is_hashtag_sign).unwrap_or(text);
        (name_length(display) == display.len()).then(|| Self::of_display(display)).flatten()
    }

    /// Returns the folded form of the beginning of a name, with or without a leading `#`. Returns
    /// `None` if no name begins with the text.
    ///
    /// ```
    /// use siskin_text::Hashtag;
    ///
    /// assert_eq!(Hashtag::fold_beginning("#BLÅ").as_deref(), Some("bla"));
    /// assert_eq!(Hashtag::fold_beginning("24").as_deref(), Some("24"));
    /// assert_eq!(Hashtag::fold_beginning("two words"), None);
    /// ```
    pub fn fold_beginning(text: &str) -> Option<String> {
        let display = text.strip_prefix(is_hashtag_sign).unwrap_or(text);
        let is_beginning = display.starts_with(begins_name) && display.chars().all(continues_name);
        let name = is_beginning.then(|| fold_name(display))?;
        (name.chars().count() <= MAX_HASHTAG_LENGTH).then_some(name)
    }

    /// Returns the hashtag at the start of the text, sign included, and its length in bytes.
    pub(crate) fn at_start_of(text: &str) -> Option<(Self, usize)> {
        let after_sign = text.strip_prefix(is_hashtag_sign)?;
        let display = &after_sign[..name_length(after_sign)];
        let length = text.len() - after_sign.len() + display.len();
        Self::of_display(display).map(|hashtag| (hashtag, length))
    }

    /// Validates the folded name, because a compatibility form can fold to forbidden characters.
    fn of_display(display: &str) -> Option<Self> {
        let name = fold_name(display);
        let valid = name_length(&name) == name.len()
            && is_meaningful(&name)
            && name.chars().count() <= MAX_HASHTAG_LENGTH
            // The typed form has a byte limit, too, because folding can remove characters.
            && TextLimit::of(MAX_HASHTAG_LENGTH).fits(display);
        valid.then(|| Self { name, display: display.to_owned() })
    }
}

/// Returns `true` for `#` and the full-width form that Japanese keyboards produce.
pub(crate) fn is_hashtag_sign(c: char) -> bool {
    matches!(c, '#' | '＃')
}

/// Returns `true` if a hashtag can begin after this character: not inside a word, a path or a
/// query.
pub(crate) fn may_precede_hashtag(c: char) -> bool {
    !is_alphanumeric(c) && !matches!(c, '/' | '=' | ')' | LITERAL)
}

/// Folds a name. Variation selectors only choose between shapes of one character, so they are
/// removed. The zero-width non-joiner is a part of the spelling and stays.
fn fold_name(display: &str) -> String {
    let visible: String = display.chars().filter(|&c| c == ZWNJ || !is_invisible(c)).collect();
    fold(&visible)
}

/// Returns the length in bytes of the longest prefix that may be a name.
fn name_length(text: &str) -> usize {
    let mut end = 0;
    for (at, c) in text.char_indices() {
        let fits = if at == 0 { begins_name(c) } else { continues_name(c) };
        if !fits {
            break;
        }
        if !is_inner_separator(c) {
            end = at + c.len_utf8();
        }
    }
    end
}

/// Returns `true` if a name can begin with the character. Marks belong to the character before
/// them, so no name begins with one (`#` with an enclosing keycap is an emoji).
fn begins_name(c: char) -> bool {
    (c.is_alphanumeric() || c == '_') && folds_into_name(c)
}

fn continues_name(c: char) -> bool {
    is_inner_separator(c) || (is_word(c) && folds_into_name(c))
}

/// Returns `false` for letters that stand for whole phrases with blanks, which names cannot
/// contain.
fn folds_into_name(c: char) -> bool {
    c.is_ascii() || std::iter::once(c).nfkc().all(|c| is_word(c) || is_inner_separator(c))
}

const ZWNJ: char = '\u{200C}';

/// Returns `true` for separators that stand inside a name, never at its end. Half-width `･` folds
/// to `・`.
fn is_inner_separator(c: char) -> bool {
    matches!(c, '·' | '・' | '･' | ZWNJ)
}

/// Returns `true` if a folded name has a letter, or digits joined by a separator.
fn is_meaningful(name: &str) -> bool {
    name.contains(char::is_alphabetic) || joins_digits(name)
}

fn joins_digits(name: &str) -> bool {
    let parts = name.split(|c| c == '_' || is_inner_separator(c));
    parts.filter(|part| part.contains(char::is_numeric)).count() > 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn name(text: &str) -> Option<String> {
        Hashtag::parse(text).map(|hashtag| hashtag.name)
    }

    #[test]
    fn variants_of_one_hashtag_share_a_name() {
        for typed in ["synthwave", "#SynthWave", "＃synthwave", "#ｓｙｎｔｈｗａｖｅ"] {
            assert_eq!(name(typed).as_deref(), Some("synthwave"), "{typed}");
        }
        for typed in ["#BLÅHAJ", "blåhaj", "BLA\u{30A}HAJ", "Blahaj"] {
            assert_eq!(name(typed).as_deref(), Some("blahaj"), "{typed}");
        }
        assert_eq!(name("#ｶﾞﾝﾀﾞﾑ"), name("ガンダム"));
        assert_ne!(name("ハハ"), name("パパ"));
    }

    #[test]
    fn the_typed_form_is_displayed() {
        let hashtag = Hashtag::parse("＃BLÅHAJ").unwrap();
        assert_eq!(hashtag.display, "BLÅHAJ");
    }

    #[test]
    fn names_are_letters_digits_marks_and_separators() {
        for typed in [
            "snake_case",
            "_x",
            "x_",
            "日本語",
            "हिन्दी",
            "c3po",
            "เน็ต",
            "can·çó",
            "ア・イ",
            "می‌خواهم",
        ] {
            assert!(Hashtag::parse(typed).is_some(), "{typed}");
        }
        for typed in [
            "", "#", "100%", "%", "\0", "/../", "a b", " a", "a#b", "##a", "a-b", "c++", "a.b",
            "·a", "a·", "ア・", "😀",
        ] {
            assert!(Hashtag::parse(typed).is_none(), "{typed}");
        }
    }

    #[test]
    fn a_name_needs_a_letter_or_joined_digits() {
        for typed in ["123", "١٢٣", "_", "___", "1_", "_1", "_1_", "1️⃣", "\u{3164}"] {
            assert!(Hashtag::parse(typed).is_none(), "{typed}");
        }
        for typed in ["24_7", "_24_7", "1a", "90s"] {
            assert!(Hashtag::parse(typed).is_some(), "{typed}");
        }
    }

    #[test]
    fn letters_that_expand_to_phrases_are_refused() {
        assert_eq!(name("ﷺ"), None);
        assert_eq!(name("aͺ"), None);
    }

    #[test]
    fn variation_selectors_are_ignored() {
        assert_eq!(name("葛\u{E0100}城"), name("葛城"));
    }

    #[test]
    fn the_length_of_names_is_bounded() {
        assert!(Hashtag::parse(&"ß".repeat(MAX_HASHTAG_LENGTH)).is_some());
        assert!(Hashtag::parse(&"ß".repeat(MAX_HASHTAG_LENGTH + 1)).is_none());
    }

    proptest! {
        #[test]
        fn a_name_is_a_hashtag_of_the_same_name(text in "[#＃]?[\\w·・ｦ-ﾟ\u{200C}\u{FE0F}]{1,12}") {
            if let Some(hashtag) = Hashtag::parse(&text) {
                prop_assert_eq!(name(&hashtag.name), Some(hashtag.name.clone()));
                prop_assert_eq!(name(&hashtag.display), Some(hashtag.name));
            }
        }

        #[test]
        fn normalisation_width_and_case_do_not_change_a_hashtag(
            text in "[\\p{Latin}\\p{Greek}\\p{Cyrillic}ｦ-ﾟぁ-ヿ\\d_]{1,12}",
        ) {
            let same = name(&text);
            prop_assert_eq!(&name(&text.nfd().collect::<String>()), &same);
            prop_assert_eq!(&name(&text.nfc().collect::<String>()), &same);
            prop_assert_eq!(&name(&text.nfkc().collect::<String>()), &same);
            prop_assert_eq!(&name(&text.to_lowercase()), &same);
        }

        #[test]
        fn parsing_never_panics(text in any::<String>()) {
            let _ = Hashtag::parse(&text);
        }
    }
}
