//! Case-insensitive text with a mapping back to the original.

use std::{iter::once, ops::Range, sync::LazyLock};

use unicode_normalization::{IsNormalized, UnicodeNormalization, char::canonical_combining_class};

/// Case-folded text. Two texts have the same folded form if they differ only in case or in the
/// composition of accented letters. All other differences remain, diacritics included.
///
/// This is Unicode's canonical caseless matching (full case folding, so that `ß` is `ss`), except
/// that the dotless `ı` folds to `i`. [`Caseless::original`] maps a range of the folded text to the
/// original.
///
/// ```
/// let text = siskin_text::Caseless::new("Die STRASSE");
/// let at = text.as_str().find("straße").or_else(|| text.as_str().find("strasse")).unwrap();
/// assert_eq!(text.original(at..at + 7), Some(4..11));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caseless {
    folded: String,
    original_length: usize,
    /// `None` if folded and original byte positions are equal everywhere.
    units: Option<Vec<Unit>>,
}

/// Start of a part of the text that is folded as a unit. A unit is a character, or several
/// characters that compose one, or a run in which every character keeps its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Unit {
    folded: usize,
    original: usize,
    is_run: bool,
}

impl Caseless {
    /// Folds a text.
    pub fn new(text: &str) -> Self {
        if text.is_ascii() {
            let folded = text.to_ascii_lowercase();
            return Self { folded, original_length: text.len(), units: None };
        }
        let mut folded = String::with_capacity(text.len() + text.len() / 8);
        let mut units: Vec<Unit> = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (start, original) = (folded.len(), text.len() - rest.len());
            let (is_run, length) = fold_next(&mut folded, rest);
            rest = &rest[length..];
            if !is_run || !units.last().is_some_and(|last| last.is_run) {
                units.push(Unit { folded: start, original, is_run });
            }
        }
        // Some callers cache the result.
        folded.shrink_to_fit();
        units.shrink_to_fit();
        let units = Some(units).filter(|units| units.len() > 1 || !units[0].is_run);
        Self { folded, original_length: text.len(), units }
    }

    /// Returns the folded text.
    pub fn as_str(&self) -> &str {
        &self.folded
    }

    /// Maps a range of the folded text to the byte range of the original. Returns `None` if an edge
    /// of the range is inside a character, such as after the first `s` of a `ß`.
    pub fn original(&self, folded: Range<usize>) -> Option<Range<usize>> {
        Some(self.edge(folded.start)?..self.edge(folded.end)?)
    }

    fn edge(&self, folded: usize) -> Option<usize> {
        if !self.folded.is_char_boundary(folded) {
            return None;
        }
        let Some(units) = &self.units else { return Some(folded) };
        if folded == self.folded.len() {
            return Some(self.original_length);
        }
        let unit = units[..units.partition_point(|unit| unit.folded <= folded)].last()?;
        let inside = folded - unit.folded;
        (inside == 0 || unit.is_run).then_some(unit.original + inside)
    }
}

/// Returns the length in bytes of the ASCII prefix that does not compose with what follows.
fn ascii_length(text: &str) -> usize {
    let ascii = text.bytes().position(|byte| !byte.is_ascii()).unwrap_or(text.len());
    let next = text[ascii..].chars().next();
    // A combining mark that follows belongs to the last ASCII character.
    if next.is_some_and(|c| !begins_segment(c)) { ascii.saturating_sub(1) } else { ascii }
}

/// Returns the length in bytes of the first segment that can be composed independently of the rest.
fn segment_length(text: &str) -> usize {
    let mut after = text.char_indices().skip(1);
    let next = after.find(|(_, c)| c.is_ascii() || begins_segment(*c));
    next.map_or(text.len(), |(at, _)| at)
}

/// Returns `true` if a character does not compose with any character before it.
fn begins_segment(c: char) -> bool {
    is_common(c) || composes_with_nothing_before(c)
}

/// Fast path of [`begins_segment`]: the ranges that most texts use and that do not compose
/// backwards.
fn is_common(c: char) -> bool {
    matches!(c,
        '\0'..='\u{2FF}' // Latin
        | '\u{400}'..='\u{482}' // Cyrillic
        | '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}' // kana
        | '\u{4E00}'..='\u{9FFF}' // Chinese characters
        | '\u{AC00}'..='\u{D7A3}') // Hangul syllables
}

fn composes_with_nothing_before(c: char) -> bool {
    canonical_combining_class(c) == 0
        && unicode_normalization::is_nfc_quick(once(c)) == IsNormalized::Yes
}

/// Appends the folded form of the next part of a text that is not empty. Returns `true` if each of
/// its characters keeps its length in bytes, and the length of the part in bytes.
fn fold_next(folded: &mut String, text: &str) -> (bool, usize) {
    let start = folded.len();
    let length = ascii_length(text);
    if length > 0 {
        folded.push_str(&text[..length]);
        folded[start..].make_ascii_lowercase();
        return (true, length);
    }
    let length = segment_length(text);
    let is_one_character = fold_segment(folded, &text[..length]);
    (is_one_character && folded.len() - start == length, length)
}

/// Appends a segment in folded form. Returns `true` if the segment and its folded form are one
/// character each.
fn fold_segment(folded: &mut String, segment: &str) -> bool {
    let mut characters = segment.chars();
    match (characters.next(), characters.next()) {
        // A single character may still be a composed one, or a canonical equivalent of another.
        (Some(alone), None) if begins_segment(alone) => {
            if let Some(caseless) = known(alone) {
                folded.push(caseless);
                return true;
            }
            let start = folded.len();
            folded.extend(without_case(alone));
            folded[start..].chars().nth(1).is_none()
        }
        _ => {
            segment.nfc().for_each(|c| folded.extend(without_case(c)));
            false
        }
    }
}

/// Folds case by lower, upper, lower: the capital `ẞ` only becomes `SS` from its lower case, and
/// the final sigma has its own lower case.
fn without_case(c: char) -> impl Iterator<Item = char> {
    c.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase)
}

/// Number of code points in the lookup table: those of Latin, Greek and Cyrillic texts.
const KNOWN: usize = 0x530;

/// Looks up the folded form. Returns `None` if it is not a single character or not in the table.
fn known(c: char) -> Option<char> {
    static TABLE: LazyLock<Vec<Option<char>>> = LazyLock::new(|| {
        let one = |c| {
            let mut folded = without_case(c);
            folded.next().filter(|_| folded.next().is_none())
        };
        ('\0'..).take(KNOWN).map(one).collect()
    });
    TABLE.get(usize::try_from(u32::from(c)).ok()?).copied().flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn same(a: &str, b: &str) -> bool {
        Caseless::new(a).as_str() == Caseless::new(b).as_str()
    }

    #[test]
    fn case_does_not_count_in_any_script() {
        for (a, b) in [
            ("HeLLo", "hEllO"),
            ("ПРИВЕТ", "привет"),
            ("ΟΔΟΣ", "οδος"),
            ("οδοσ", "οδος"),
            ("STRASSE", "Straße"),
            ("GROẞ", "groß"),
            ("ﬁN", "FIN"),
            ("ÅÉ", "åé"),
            ("e\u{301}", "É"),
            ("Ｆｕｌｌ", "ｆＵＬＬ"),
            ("İ", "i\u{307}"),
            ("ISPARTA", "ısparta"),
            ("\u{1112}\u{1161}\u{11ab}", "한"),
        ] {
            assert!(same(a, b), "{a} {b}");
        }
    }

    #[test]
    fn diacritics_and_width_are_significant() {
        for (a, b) in
            [("resume", "résumé"), ("が", "か"), ("Ｆ", "f"), ("a b", "a\u{A0}b"), ("²", "2")]
        {
            assert!(!same(a, b), "{a} {b}");
        }
    }

    #[test]
    fn ranges_map_back_to_the_original_text() {
        let text = Caseless::new("é Straße");
        assert_eq!(text.as_str(), "é strasse");
        assert_eq!(text.original(3..10), Some(3..10));
        assert_eq!(text.original(0..2), Some(0..2));
        let decomposed = Caseless::new("e\u{301}x");
        assert_eq!(decomposed.original(0..2), Some(0..3));
        assert_eq!(decomposed.original(2..3), Some(3..4));
    }

    #[test]
    fn common_characters_compose_with_nothing_before_them() {
        for c in (char::MIN..=char::MAX).filter(|c| is_common(*c)) {
            assert!(composes_with_nothing_before(c), "{c:?}");
        }
    }

    #[test]
    fn the_folding_table_agrees_with_the_rule() {
        let known = |c: &char| known(*c).map(String::from);
        let characters: Vec<char> = ('\0'..='\u{600}').collect();
        for c in &characters {
            let folded: String = without_case(*c).collect();
            assert!(known(c).is_none_or(|known| known == folded), "{c:?}");
        }
        assert!(characters.iter().filter(|c| known(c).is_some()).count() > 1_300);
        assert_eq!(known(&'ß'), None);
    }

    #[test]
    fn ranges_inside_a_character_have_no_original() {
        let text = Caseless::new("ß");
        assert_eq!((text.original(0..1), text.original(1..2)), (None, None));
        assert_eq!(text.original(0..2), Some(0..2));
        let text = Caseless::new("aé");
        assert_eq!((text.original(1..2), text.original(1..3)), (None, Some(1..3)));
    }

    #[test]
    fn texts_whose_characters_keep_their_length_need_no_mapping() {
        for text in ["Plain", "Ελληνικά", "Привет, мир!", "日本語です"] {
            assert_eq!(Caseless::new(text).units, None, "{text}");
        }
        // `İ` becomes two characters of three bytes in all.
        assert_eq!(Caseless::new("Привет İ мир").units.map(|units| units.len()), Some(3));
    }

    proptest! {
        #[test]
        fn every_text_can_be_folded_and_mapped_back(text in any::<String>()) {
            let folded = Caseless::new(&text);
            prop_assert_eq!(folded.original(0..folded.as_str().len()), Some(0..text.len()));
            let mut ends: Vec<usize> = (0..=folded.as_str().len())
                .filter_map(|end| folded.original(0..end)).map(|range| range.end).collect();
            prop_assert!(ends.is_sorted() && ends.iter().all(|end| text.is_char_boundary(*end)));
            ends.dedup();
            prop_assert_eq!(ends.last().copied(), Some(text.len()));
        }

        #[test]
        fn folding_parts_equals_folding_the_whole(text in "[a-zA-ZäÄßẞıİσςΣé\u{301}\u{307}가각\u{11a8} ]{0,12}") {
            let whole: String = text.nfc().collect();
            let folded = Caseless::new(&text);
            let ascii_len = Caseless::new(&whole);
            prop_assert_eq!(folded.as_str(), ascii_len.as_str());
        }

        #[test]
        fn case_never_counts(text in "[a-zà-öù-žа-яα-ρτ-ωßﬁ]*") {
            prop_assert!(same(&text.to_uppercase(), &text));
        }
    }
}
