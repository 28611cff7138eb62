//! Character classes that the rules of this crate share.

use unicode_normalization::char::is_combining_mark;

/// Returns `true` for letters, digits and marks of any script. The underscore is not included.
pub(crate) fn is_alphanumeric(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}

/// Returns `true` for characters of [`is_alphanumeric`] and for the underscore.
pub(crate) fn is_word(c: char) -> bool {
    c == '_' || is_alphanumeric(c)
}

/// Returns `true` for letters, marks, digits, connectors and joiners: the Unicode class `\w` (UTS
/// #18,
/// annex C). Unlike the rule for names, it excludes fractions and superscripts and includes all
/// connectors.
pub fn is_word_character(c: char) -> bool {
    regex_syntax::try_is_word_character(c).unwrap_or_else(|_| is_word(c))
}

/// Returns `true` for characters without a visible width: zero-width spaces and joiners,
/// directional marks and controls, variation selectors and similar. Names that differ only in them
/// look the same.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{AD}' // soft hyphen
        | '\u{34F}' // combining grapheme joiner
        | '\u{61C}' // Arabic letter mark
        | '\u{115F}' | '\u{1160}' | '\u{3164}' | '\u{FFA0}' // Hangul fillers
        | '\u{17B4}' | '\u{17B5}' // Khmer inherent vowels
        | '\u{180B}'..='\u{180F}' // Mongolian variation selectors
        | '\u{200B}'..='\u{200F}' // zero-width space and joiners, directional marks
        | '\u{202A}'..='\u{202E}' // directional embeddings
        | '\u{2060}'..='\u{206F}' // word joiner, directional isolates
        | '\u{FE00}'..='\u{FE0F}' // variation selectors
        | '\u{FEFF}' // zero-width no-break space
        | '\u{FFF0}'..='\u{FFFB}' // interlinear annotation
        | '\u{1D173}'..='\u{1D17A}' // musical format controls
        | '\u{E0000}'..='\u{E0FFF}' // tags, more variation selectors
    )
}

/// Returns `true` if the text displays nothing: only white space, controls and invisible characters
/// (zero-width spaces, Hangul fillers, the blank Braille pattern …).
///
/// ```
/// assert!(siskin_text::is_blank(" \u{200B}\u{3164}\n") && !siskin_text::is_blank("\u{200B}x"));
/// ```
pub fn is_blank(text: &str) -> bool {
    let shows_nothing =
        |c: char| c.is_whitespace() || c.is_control() || c == '\u{2800}' || is_invisible(c);
    text.chars().all(shows_nothing)
}

/// Returns `true` for characters that change the text direction. They can make a link look like
/// another one.
pub(crate) fn is_directional(c: char) -> bool {
    matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Returns `true` for characters that no text needs and that can disturb what stands around it:
/// control characters other than tabs and line breaks, and those that change the direction of the
/// text after them.
///
/// ```
/// use siskin_text::is_disturbing;
///
/// assert!(is_disturbing('\u{7}') && is_disturbing('\u{202E}'));
/// assert!(!is_disturbing('\n') && !is_disturbing('\u{200F}'));
/// ```
pub fn is_disturbing(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t') || crate::isolate::is_control(c)
}

/// Marker in front of a character that was escaped by a backslash, so that no name begins there. It
/// is a noncharacter of Unicode, so texts do not contain it.
pub(crate) const LITERAL: char = '\u{FDD0}';

/// Returns the length in bytes of the longest prefix of word characters, with dots and hyphens only
/// between them.
pub(crate) fn joined_words_length(text: &str, is_word: impl Fn(char) -> bool) -> usize {
    let mut end = 0;
    for (at, c) in text.char_indices() {
        if is_word(c) {
            end = at + c.len_utf8();
        } else if end == 0 || !matches!(c, '.' | '-') {
            break;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::{is_blank, is_disturbing, is_word_character};

    #[test]
    fn letters_marks_digits_and_connectors_are_word_characters() {
        for c in ['a', 'ß', 'ж', 'か', '\u{301}', '7', '٣', '_', '\u{203F}', '\u{200D}', 'Ⅷ']
        {
            assert!(is_word_character(c), "{c:?}");
        }
        for c in [' ', '#', '+', '-', '½', '²', '👩', '\n', '\u{A0}', '\u{200B}'] {
            assert!(!is_word_character(c), "{c:?}");
        }
    }

    #[test]
    fn controls_and_turns_of_direction_disturb() {
        for c in ['\0', '\u{7}', '\u{1B}', '\u{7F}', '\u{9B}', '\u{202A}', '\u{202E}', '\u{2069}'] {
            assert!(is_disturbing(c), "{c:?}");
        }
        // Texts in Arabic and Hebrew need the marks, and emojis the joiner.
        for c in ['a', '\n', '\r', '\t', '\u{2028}', '\u{61C}', '\u{200D}', '\u{200E}', '\u{200F}']
        {
            assert!(!is_disturbing(c), "{c:?}");
        }
    }

    #[test]
    fn invisible_text_is_blank() {
        for c in ['\u{200B}', '\u{FEFF}', '\u{2060}', '\u{3164}', '\u{2800}', '\u{AD}', '\0'] {
            assert!(is_blank(&format!("{c} \n{c}")), "{c:?}");
            assert!(!is_blank(&format!("{c}x")), "{c:?}");
        }
        assert!(is_blank("") && is_blank("\u{A0}\u{3000}"));
        for seen in ["👩\u{200D}🚀", "❤\u{FE0F}", ".", "\u{301}", "می\u{200C}خواهم"] {
            assert!(!is_blank(seen), "{seen:?}");
        }
    }
}
