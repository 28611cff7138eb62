//! Splits texts into the words that a full-text search compares; the only implementation. An index
//! stores [`index_terms`], and a query looks for [`required_terms`]. The terms find candidates:
//! whether a text contains a phrase is decided by [`contains_phrase`], because terms have no order.

use std::collections::BTreeSet;

use crate::{
    characters::{is_alphanumeric, is_invisible},
    fold::fold,
};

/// Maximum length of a word in characters. Longer words are equal if they begin with the same
/// characters.
pub const MAX_WORD_LENGTH: usize = 64;

/// A word of a text, folded by [`search_fold`](crate::search_fold). In scripts without spaces
/// between words, and in Hangul, where particles follow a word without a space, each character is a
/// word of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchWord {
    /// The folded word. It consists of letters, digits and marks only.
    pub text: String,
    /// `true` if it is a single character of a script without spaces.
    pub is_character: bool,
    /// `true` if nothing separates it from the word before.
    pub joined: bool,
}

/// Returns the words of a text in their order.
///
/// Everything but letters, digits and marks separates words. Invisible characters, and the vowel
/// points of Arabic and Hebrew, which most texts leave out, are dropped.
///
/// ```
/// use siskin_text::search_words;
///
/// let words = |text| search_words(text).into_iter().map(|word| word.text).collect::<Vec<_>>();
/// assert_eq!(words("Grüße, AUS #Kiel!"), ["gruße", "aus", "kiel"]);
/// assert_eq!(words("東京tower"), ["東", "京", "tower"]);
/// ```
#[must_use]
pub fn search_words(text: &str) -> Vec<SearchWord> {
    let mut words: Vec<SearchWord> = Vec::new();
    let (mut length, mut joined) = (0, false);
    for c in fold(text).chars() {
        if is_invisible(c) || is_optional_mark(c) {
            continue;
        }
        if !is_alphanumeric(c) {
            joined = false;
            continue;
        }
        let is_character = is_unspaced(c);
        match words.last_mut() {
            Some(word) if joined && !is_character && !word.is_character => {
                if length < MAX_WORD_LENGTH {
                    word.text.push(c);
                }
                length += 1;
            }
            _ => {
                words.push(SearchWord { text: c.to_string(), is_character, joined });
                length = 1;
            }
        }
        joined = true;
    }
    words
}

/// Returns the terms under which an index stores a text: its words, and each pair of joined
/// characters. So a part of a text in a script without spaces is found from one character on.
pub fn index_terms(words: &[SearchWord]) -> BTreeSet<String> {
    words.iter().map(|word| word.text.clone()).chain(pairs(words)).collect()
}

/// Returns the terms that the index of a text contains if the text contains these words one after
/// the other. The pairs stand for the characters in them.
pub fn required_terms(words: &[SearchWord]) -> BTreeSet<String> {
    let is_in_pair = |at: usize| {
        let pairs_up = |first: usize| {
            words.get(first).zip(words.get(first + 1)).is_some_and(|(a, b)| is_pair(a, b))
        };
        pairs_up(at) || at > 0 && pairs_up(at - 1)
    };
    let single = words.iter().enumerate().filter(|(at, _)| !is_in_pair(*at));
    single.map(|(_, word)| word.text.clone()).chain(pairs(words)).collect()
}

/// Returns the term that the index of a text contains exactly if the text contains these words one
/// after the other. Returns `None` if terms alone cannot tell.
pub fn sole_term(words: &[SearchWord]) -> Option<String> {
    let whole: String = words.iter().map(|word| word.text.as_str()).collect();
    let mut terms = required_terms(words);
    let term = terms.pop_first()?;
    (terms.is_empty() && term == whole).then_some(term)
}

/// Returns `true` if `text` contains the words of `phrase` one after the other. Words that are
/// joined in the phrase must be joined in the text. An empty phrase is in no text.
#[must_use]
pub fn contains_phrase(text: &[SearchWord], phrase: &[SearchWord]) -> bool {
    let equals = |place: &[SearchWord]| {
        place.iter().zip(phrase).enumerate().all(|(at, (word, sought))| {
            word.text == sought.text && (at == 0 || word.joined || !sought.joined)
        })
    };
    !phrase.is_empty() && text.windows(phrase.len()).any(equals)
}

fn pairs(words: &[SearchWord]) -> impl Iterator<Item = String> {
    words.windows(2).filter(|pair| is_pair(&pair[0], &pair[1])).map(|pair| {
        let [first, second] = [&pair[0].text, &pair[1].text];
        format!("{first}{second}")
    })
}

const fn is_pair(first: &SearchWord, second: &SearchWord) -> bool {
    first.is_character && second.is_character && second.joined
}

/// Returns `true` for characters of scripts that are written without spaces between words, and of
/// Hangul.
const fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{E00}'..='\u{FFF}' // Thai, Lao, Tibetan
        | '\u{1000}'..='\u{109F}' // Myanmar
        | '\u{1100}'..='\u{11FF}' // Hangul Jamo
        | '\u{1780}'..='\u{17FF}' // Khmer
        | '\u{1950}'..='\u{19DF}' // Tai Le, New Tai Lue
        | '\u{1A20}'..='\u{1AAF}' // Tai Tham
        | '\u{1B00}'..='\u{1B7F}' // Balinese
        | '\u{2E80}'..='\u{2FDF}' // radicals
        | '\u{3005}'..='\u{3007}' // iteration mark, closing mark, zero
        | '\u{3021}'..='\u{3029}' | '\u{3038}'..='\u{303B}' // numerals, iteration mark
        | '\u{3041}'..='\u{318F}' // Hiragana, Katakana, Bopomofo, Hangul
        | '\u{31A0}'..='\u{31FF}' // Bopomofo, Katakana extensions
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{A4CF}' // Han, Yi
        | '\u{A960}'..='\u{A9DF}' // Hangul Jamo, Javanese
        | '\u{A9E0}'..='\u{A9FF}' | '\u{AA60}'..='\u{AADF}' // Myanmar, Tai Viet
        | '\u{AC00}'..='\u{D7FF}' // Hangul
        | '\u{F900}'..='\u{FAFF}' // compatibility ideographs
        | '\u{1B000}'..='\u{1B16F}' // Kana extensions
        | '\u{20000}'..='\u{3FFFF}' // Han extensions
    )
}

/// Returns `true` for the points and vowel signs of Arabic and Hebrew, and for the Arabic
/// elongation, which changes no word.
const fn is_optional_mark(c: char) -> bool {
    matches!(c,
        '\u{591}'..='\u{5BD}' | '\u{5BF}' | '\u{5C1}' | '\u{5C2}' | '\u{5C4}' | '\u{5C5}' | '\u{5C7}'
        | '\u{610}'..='\u{61A}' | '\u{640}' | '\u{64B}'..='\u{652}' | '\u{656}'..='\u{65F}'
        | '\u{670}' | '\u{6D6}'..='\u{6DC}' | '\u{6DF}'..='\u{6E4}' | '\u{6E7}' | '\u{6E8}'
        | '\u{6EA}'..='\u{6ED}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(text: &str) -> Vec<String> {
        search_words(text).into_iter().map(|word| word.text).collect()
    }

    fn contains(text: &str, phrase: &str) -> bool {
        contains_phrase(&search_words(text), &search_words(phrase))
    }

    fn terms(text: &str) -> Vec<String> {
        index_terms(&search_words(text)).into_iter().collect()
    }

    fn required(text: &str) -> Vec<String> {
        required_terms(&search_words(text)).into_iter().collect()
    }

    #[test]
    fn everything_but_letters_digits_and_marks_separates_words() {
        assert_eq!(
            texts("don't snake_case C++11 a.b@c.example"),
            ["don", "t", "snake", "case", "c", "11", "a", "b", "c", "example"]
        );
        assert_eq!(texts("\"AND\" OR* NEAR(x^2) '; -- % _ \0"), ["and", "or", "near", "x", "2"]);
        assert_eq!(texts(" \u{200B}🎉 …"), [""; 0]);
    }

    #[test]
    fn words_of_all_scripts_are_folded() {
        assert_eq!(texts("Grüße AUS Łódź"), ["gruße", "aus", "lodz"]);
        assert_eq!(texts("ΟΔΟΣ Ёлка"), [fold("οδος"), fold("ёлка")]);
        assert_eq!(texts("हिन्दी भाषा"), ["हिन्दी", "भाषा"]);
        assert_eq!(texts("مَرْحَبًا"), texts("مرحبا"));
        assert_eq!(texts("שָׁלוֹם"), texts("שלום"));
        assert_eq!(texts("می\u{200C}خواهم").len(), 1);
        assert_eq!(texts("ｶﾞﾝ"), ["ガ", "ン"]);
    }

    #[test]
    fn characters_of_scripts_without_spaces_are_words_and_pairs() {
        assert_eq!(terms("東京都"), ["京", "京都", "東", "東京", "都"]);
        assert_eq!(required("東京都"), ["京都", "東京"]);
        assert_eq!(required("東"), ["東"]);
        assert_eq!(required("東 京"), ["京", "東"]);
        assert_eq!(required("東京 x"), ["x", "東京"]);
    }

    #[test]
    fn a_word_or_a_pair_is_decided_by_its_term() {
        let sole = |text: &str| sole_term(&search_words(text));
        for (text, term) in [("x", "x"), ("東", "東"), ("東京", "東京"), ("東東", "東東")]
        {
            assert_eq!(sole(text).as_deref(), Some(term), "{text}");
        }
        for text in ["", "x y", "x x", "東 京", "東 東", "東京都"] {
            assert_eq!(sole(text), None, "{text}");
        }
    }

    #[test]
    fn a_phrase_is_a_part_of_the_text() {
        for (text, phrase) in [
            ("the quick, brown fox", "quick brown"),
            ("東京都に住む", "京都に"),
            ("ภาษาไทย", "ไทย"),
            ("학교에서", "학교"),
            ("東京tower", "tower"),
            ("東 京", "東"),
            ("東京", "東 京"),
        ] {
            assert!(contains(text, phrase), "{text} {phrase}");
        }
        for (text, phrase) in [
            ("the quick fox", "quick brown"),
            ("brown quick", "quick brown"),
            ("quicker", "quick"),
            ("東の京", "東京"),
            ("東。京", "東京"),
            ("x", ""),
            ("", "x"),
        ] {
            assert!(!contains(text, phrase), "{text} {phrase}");
        }
    }

    #[test]
    fn long_words_are_cut_in_texts_and_queries_alike() {
        let long = "a".repeat(200);
        assert_eq!(texts(&long), ["a".repeat(MAX_WORD_LENGTH)]);
        assert!(contains(&long, &long));
    }

    proptest! {
        #[test]
        fn words_contain_no_separators(text in any::<String>()) {
            for word in search_words(&text) {
                prop_assert!(!word.text.is_empty());
                prop_assert!(word.text.chars().all(is_alphanumeric));
                prop_assert!(word.text.chars().count() <= MAX_WORD_LENGTH);
                prop_assert!(!word.is_character || word.text.chars().count() == 1);
            }
        }

        // The index finds every text that contains the phrase.
        #[test]
        fn terms_of_a_phrase_are_terms_of_every_text_that_contains_it(
            before in "[a-c東京ไท가 .]{0,6}", phrase in "[a-c東京ไท가 .]{1,8}",
            after in "[a-c東京ไท가 .]{0,6}",
        ) {
            let text = search_words(&format!("{before} {phrase} {after}"));
            let phrase = search_words(&phrase);
            prop_assert!(required_terms(&phrase).is_subset(&index_terms(&text)));
            prop_assert!(phrase.is_empty() || contains_phrase(&text, &phrase));
        }

        #[test]
        fn a_part_of_a_text_without_spaces_is_found(
            text in "[東京都ไทย가나ガん]{1,12}", from in 0_usize..12, length in 1_usize..6,
        ) {
            let part: String = text.chars().skip(from).take(length).collect();
            let (text, part) = (search_words(&text), search_words(&part));
            if !part.is_empty() {
                prop_assert!(contains_phrase(&text, &part));
                prop_assert!(required_terms(&part).is_subset(&index_terms(&text)));
            }
        }
    }
}
