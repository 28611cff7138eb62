//! Fuzzing of queries for statuses, and of the words of texts.

use siskin_entities::StatusQuery;
use siskin_fuzz::{Target, run};
use siskin_text::{contains_phrase, index_terms, required_terms, search_words, sole_term};

const FRAGMENTS: &[&[u8]] = &[
    b"a",
    b"word",
    b" ",
    b"\n",
    b"-",
    b"--",
    b"\"",
    "\u{201C}".as_bytes(),
    "«".as_bytes(),
    b":",
    b"from:",
    b"from:me",
    b"@bob@far.example",
    b"before:",
    b"after:2026-02-30",
    b"during:9999-12-31",
    b"0000-01-01",
    b"has:image",
    b"is:reply",
    b"in:library",
    b"language:de",
    b"AND",
    b"NEAR(",
    b"*",
    b"'; --",
    b"=any",
    b"\0",
    b"\\",
    "東".as_bytes(),
    "東京".as_bytes(),
    "ไทย".as_bytes(),
    "กิ".as_bytes(),
    "가".as_bytes(),
    "\u{1100}\u{1161}".as_bytes(),
    "ｶﾞ".as_bytes(),
    "か\u{3099}".as_bytes(),
    "\u{301}".as_bytes(),
    "\u{200B}".as_bytes(),
    "\u{200C}".as_bytes(),
    "مَ".as_bytes(),
    "ß".as_bytes(),
    "İ".as_bytes(),
    "ﬁ".as_bytes(),
    "ﷺ".as_bytes(),
    "²".as_bytes(),
    "🎉".as_bytes(),
    b"\xFF",
];

/// Maximum number of conditions of a query.
const MAX_CONDITIONS: usize = 32;

/// The first line of the input is a query, the rest is a text.
fn check(input: &[u8]) -> Vec<u64> {
    let input = String::from_utf8_lossy(input);
    let (typed, text) = input.split_once('\n').unwrap_or((&input, ""));
    let query = StatusQuery::parse(typed);
    let counts = [
        query.phrases.len(),
        query.authors.len(),
        query.properties.len(),
        query.languages.len(),
        query.periods.len(),
    ];
    assert!(counts.iter().sum::<usize>() <= MAX_CONDITIONS, "{query:?}");
    let words = search_words(text);
    let terms = index_terms(&words);
    assert!(terms.iter().all(|term| term.chars().all(|c| c.is_alphanumeric() || !c.is_ascii())));
    let mut features: Vec<u64> = counts.iter().map(|count| *count as u64).collect();
    for phrase in &query.phrases {
        assert!(!phrase.of.is_empty());
        let required = required_terms(&phrase.of);
        let sole = sole_term(&phrase.of);
        let is_found = contains_phrase(&words, &phrase.of);
        // The index must find every text that contains the phrase.
        assert!(!is_found || required.is_subset(&terms), "{phrase:?} in {text:?}");
        // The index alone decides about a phrase that is one term.
        if let Some(sole) = sole {
            assert_eq!(is_found, terms.contains(&sole), "{phrase:?} in {text:?}");
        }
        features.push(100 + u64::from(is_found) + 2 * phrase.of.len().min(9) as u64);
    }
    features.push(200 + words.len().min(20) as u64);
    features
}

#[test]
fn the_index_finds_every_text_that_contains_a_phrase() {
    run(&Target { name: "search", fragments: FRAGMENTS, check });
}
