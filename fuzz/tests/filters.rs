//! Fuzzing of filters with hostile keywords and texts.

use siskin_entities::filters::Keywords;
use siskin_fuzz::{Target, run};
use siskin_text::{Caseless, html_to_text};

const FRAGMENTS: &[&[u8]] = &[
    b"a",
    b"A",
    b"aaaaaaaa",
    b"ss",
    "ß".as_bytes(),
    "ẞ".as_bytes(),
    "ſ".as_bytes(),
    "ﬁ".as_bytes(),
    "ǆ".as_bytes(),
    "ΐ".as_bytes(),
    "Σς".as_bytes(),
    "ı".as_bytes(),
    "İ".as_bytes(),
    "K".as_bytes(),
    "é".as_bytes(),
    "e\u{301}".as_bytes(),
    "\u{301}".as_bytes(),
    "\u{323}\u{307}".as_bytes(),
    "\u{345}".as_bytes(),
    "각".as_bytes(),
    "\u{1100}\u{1161}\u{11a8}".as_bytes(),
    "が".as_bytes(),
    "か\u{3099}".as_bytes(),
    "ﷺ".as_bytes(),
    "\u{1D160}".as_bytes(),
    "\u{0F73}".as_bytes(),
    "\u{200D}".as_bytes(),
    "👩\u{200D}👩".as_bytes(),
    "_".as_bytes(),
    "²".as_bytes(),
    "٣".as_bytes(),
    b"#",
    b"[.*\\",
    b" ",
    b"\n",
    b"<p>",
    b"</p>",
    b"<br>",
    b"&amp;",
    b"\xFF",
];

/// Maximum number of keywords, because each is also searched alone in the whole text.
const MAX_KEYWORDS: usize = 16;

/// Splits the input into keywords, one per line; the last line is the text.
fn check(input: &[u8]) -> Vec<u64> {
    let input = String::from_utf8_lossy(input);
    let mut lines: Vec<&str> = input.split('\n').collect();
    let html = lines.pop().unwrap_or_default();
    lines.truncate(MAX_KEYWORDS);
    check_folds(html);
    let text = html_to_text(html);
    let mut features = Vec::new();
    for whole_word in [false, true] {
        let compiled = Keywords::compile(lines.iter().map(|line| (*line, whole_word)));
        let compiled = compiled.expect("a few keywords must be within the limits");
        let spans = compiled.spans(&text, usize::MAX);
        for span in &spans {
            let (found, keyword) = (&text[span.range.clone()], lines[span.keyword]);
            assert_eq!(
                Caseless::new(found).as_str(),
                Caseless::new(keyword).as_str(),
                "{found:?} for {keyword:?}"
            );
        }
        // The matches of a keyword must not depend on the other compiled keywords.
        for (at, line) in lines.iter().enumerate() {
            let alone = Keywords::compile([(*line, whole_word)])
                .expect("one keyword must be within the limits");
            let alone = alone.spans(&text, usize::MAX).into_iter().map(|span| span.range);
            let together = spans.iter().filter(|span| span.keyword == at);
            assert!(alone.eq(together.map(|span| span.range.clone())), "{line:?} in {text:?}");
        }
        features.push(u64::from(whole_word) << 32 | spans.len().min(8) as u64);
    }
    features
}

/// Checks that ranges of the folded text map to valid ranges of the text.
fn check_folds(text: &str) {
    let folded = Caseless::new(text);
    assert_eq!(folded.original(0..folded.as_str().len()), Some(0..text.len()));
    for end in 0..=folded.as_str().len() {
        if let Some(range) = folded.original(0..end) {
            assert!(text.is_char_boundary(range.end), "{end} of {text:?}");
        }
    }
}

#[test]
fn keywords_are_found_at_their_positions() {
    run(&Target { name: "filters", fragments: FRAGMENTS, check });
}
