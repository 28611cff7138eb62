//! Benchmark of filters: 500 keywords against a page of 40 long statuses, in an optimised build.
//!
//! `cargo run --release -p siskin-entities --example filters`

#![expect(clippy::print_stdout, reason = "an example prints its results")]
#![expect(clippy::unwrap_used, reason = "an example fails by panicking")]

use std::{hint::black_box, time::Instant};

use siskin_entities::filters::Keywords;
use siskin_text::html_to_text;

const KEYWORDS: usize = 500;
const STATUSES: usize = 40;
/// Sizes of a status in bytes: about the default maximum of this server, and ten times as much.
const LENGTHS: [usize; 2] = [500, 5000];
const ROUNDS: u32 = 200;

/// Builds a different word of syllables for each number.
fn word(number: usize) -> String {
    const SYLLABLES: [&str; 16] = [
        "ka", "ri", "so", "mu", "te", "na", "lo", "vi", "dé", "fo", "ha", "ju", "ße", "pi", "Wa",
        "zo",
    ];
    let digits = [number % 16, number / 16 % 16, number / 256 % 16, number * 7 % 16];
    digits.map(|digit| SYLLABLES[digit]).concat()
}

/// Builds HTML with many words, a few of them keywords.
fn content(number: usize, length: usize) -> String {
    let mut text = String::from("<p>");
    let mut at = number * 1009;
    while text.len() < length {
        at += 7919;
        text += &word(KEYWORDS - 3 + at % 3500);
        text += if at.is_multiple_of(11) { "<br>" } else { " " };
    }
    text + "</p>"
}

fn main() {
    let words: Vec<(String, bool)> = (0..KEYWORDS).map(|at| (word(at), at % 2 == 0)).collect();
    let start = Instant::now();
    let keywords = Keywords::compile(words.iter().map(|(word, whole)| (word.as_str(), *whole)));
    let keywords = keywords.unwrap();
    let (compiled, memory) = (start.elapsed(), keywords.memory());
    println!("{KEYWORDS} keywords: compiled in {compiled:?}, {} kB", memory / 1024);
    for length in LENGTHS {
        measure(&keywords, length);
    }
}

fn measure(keywords: &Keywords, length: usize) {
    let contents: Vec<String> = (0..STATUSES).map(|number| content(number, length)).collect();
    let mut spans = 0;
    let start = Instant::now();
    for _ in 0..ROUNDS {
        for html in &contents {
            spans += black_box(keywords).spans(&html_to_text(black_box(html)), usize::MAX).len();
        }
    }
    let took = start.elapsed() / ROUNDS;
    let found = spans / usize::try_from(ROUNDS).unwrap();
    println!("{STATUSES} statuses of {length} bytes: {took:?}, {found} places found");
}
