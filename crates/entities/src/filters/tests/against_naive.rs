//! Compares keyword search with a naive implementation.

use proptest::{collection::vec, prelude::*, sample::select};
use siskin_text::{Caseless, is_word_character};

use super::{
    super::{Filter, FilterContext, FilterSet, Keywords},
    samples::{NOW, body, filter},
};
use crate::Status;

/// Generates texts from pieces that cover composition, case folding and word boundaries.
fn any_text(most: usize) -> impl Strategy<Value = String> {
    let pieces = [
        "a", "A", "b", "s", "S", "ß", "ẞ", "ss", "é", "e", "E", "\u{301}", "É", "ı", "i", "I", "İ",
        "\u{307}", "σ", "ς", "Σ", "가", "각", "\u{1100}", "\u{1161}", "\u{11a8}", "_", "7", "²",
        "#", "+", ".", "(", "\\", " ", "\n", "-", "ﬁ", "f", "👩", "\u{200D}", "か", "\u{3099}",
        "が",
    ];
    vec(select(pieces.to_vec()), 0..most).prop_map(|pieces| pieces.concat())
}

/// Returns every occurrence of a keyword: folds and compares each substring of the text.
fn naive(keyword: &str, whole_word: bool, text: &str) -> Vec<std::ops::Range<usize>> {
    let folded_keyword = Caseless::new(keyword);
    // Boundaries of composed characters: folding both sides separately gives the same result.
    let whole = Caseless::new(text);
    let edges: Vec<usize> = (0..=text.len())
        .filter(|at| text.is_char_boundary(*at))
        .filter(|at| {
            let (before, after) = (Caseless::new(&text[..*at]), Caseless::new(&text[*at..]));
            let parted = format!("{}{}", before.as_str(), after.as_str());
            let starts_with_mark = text[*at..].chars().next().is_some_and(combines);
            *at == 0 || (parted == whole.as_str() && !starts_with_mark)
        })
        .collect();
    let is_word = |c: Option<char>| c.is_some_and(is_word_character);
    let mut places = Vec::new();
    for end in &edges {
        for start in edges.iter().take_while(|start| *start < end) {
            let part = &text[*start..*end];
            let is_same = Caseless::new(part).as_str() == folded_keyword.as_str();
            let continues_word = whole_word
                && ((is_word(keyword.chars().next())
                    && is_word(text[..*start].chars().next_back()))
                    || (is_word(keyword.chars().last()) && is_word(text[*end..].chars().next())));
            if is_same && !continues_word {
                places.push(*start..*end);
            }
        }
    }
    places
}

/// Returns `true` for combining marks and for letters that only continue a syllable.
fn combines(c: char) -> bool {
    matches!(c, '\u{301}' | '\u{307}' | '\u{1161}' | '\u{11a8}' | '\u{3099}')
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn keywords_match_where_a_naive_search_finds_them(
        keywords in vec((any_text(4), any::<bool>()), 1..6),
        text in any_text(14),
    ) {
        let compiled =
            Keywords::compile(keywords.iter().map(|(word, whole)| (word.as_str(), *whole))).unwrap();
        let found = compiled.spans(&text, usize::MAX);
        for (at, (word, whole_word)) in keywords.iter().enumerate() {
            let mut free = 0;
            let mut expected = naive(word, *whole_word, &text);
            expected.retain(|place| {
                let is_free = place.start >= free;
                free = if is_free { place.end } else { free };
                is_free
            });
            let places: Vec<_> =
                found.iter().filter(|span| span.keyword == at).map(|span| span.range.clone()).collect();
            prop_assert_eq!(places, expected, "{:?} in {:?}", word, text);
        }
    }

    #[test]
    fn a_status_is_marked_by_exactly_the_filters_with_a_matching_keyword(
        filters in vec(vec((any_text(3), any::<bool>()), 0..3), 0..4),
        texts in vec(any_text(10), 1..3),
    ) {
        let filters: Vec<Filter> = filters.iter().enumerate().map(|(at, words)| {
            let words: Vec<_> = words.iter().map(|(word, whole)| (word.as_str(), *whole)).collect();
            filter(i64::try_from(at).unwrap() + 1, &words)
        }).collect();
        let mut marked_body = body(7, "");
        marked_body.snapshot_mut().source.spoiler_text = texts[0].clone();
        marked_body.snapshot_mut().content = siskin_text::escape(texts.get(1).map_or("", |text| text.trim()));
        let read = [texts[0].clone(), siskin_text::html_to_text(&marked_body.content)];
        let marked = FilterSet::compile(&filters).unwrap()
            .mark(FilterContext::Home, NOW, Status { body: marked_body, reblog: None });
        let matching: Vec<i64> = marked.body.viewer.as_ref().unwrap().filtered.iter()
            .map(|result| result.filter.id.get()).collect();
        let expected: Vec<i64> = filters.iter().filter(|filter| {
            filter.keywords.iter().any(|word| {
                read.iter().any(|text| !naive(&word.keyword, word.whole_word, text).is_empty())
            })
        }).map(|filter| filter.head.id.get()).collect();
        prop_assert_eq!(matching, expected);
    }
}
