//! Tests with untrusted text: no panic, no gaps between tokens, work linear in the length.

use proptest::prelude::*;
use siskin_text::{
    Handle, Hashtag, Links, MentionLink, Token, count, hashtags, html_to_text, language, mentions,
    normalise_domain, parse, render, render_document, render_field, search_fold, username_key,
    valid_local_username,
};
use std::time::{Duration, Instant};

struct Everyone;

impl Links for Everyone {
    fn mention(&self, handle: &Handle) -> Option<MentionLink> {
        Some(MentionLink { url: format!("https://x/{handle}"), shown: handle.username.clone() })
    }

    fn hashtag(&self, hashtag: &Hashtag) -> String {
        format!("https://x/{}", hashtag.name)
    }
}

/// All public functions that read untrusted text.
const READERS: [fn(&str); 4] = [read_text, read_html, read_name, read_code];

fn read_text(text: &str) {
    let tokens = parse(text);
    let _ = (mentions(&tokens), hashtags(&tokens), language::detect(&tokens));
    let _ = (render(&tokens, &Everyone), render_field(&tokens, &Everyone));
    let _ = (count(text, text), search_fold(text));
}

fn read_html(html: &str) {
    let _ = (html_to_text(html), render_document(html));
}

fn read_name(name: &str) {
    let _ = (Hashtag::parse(name), Handle::parse(name), normalise_domain(name));
    let _ = (username_key(name), valid_local_username(name));
}

fn read_code(code: &str) {
    let _ = language::normalise(code);
}

/// Patterns that make a careless parser backtrack again and again if they are repeated.
const PATTERNS: &[&str] = &[
    "@",
    "@a",
    "@a@",
    " @a@b.c:1",
    "@a.",
    "a@b.",
    "#",
    "#_",
    "#a",
    "a·",
    "(",
    "&",
    "<a",
    "\r\n",
    "\u{301}",
    "🇪",
    "👩\u{200D}",
    "a.b-",
    "http://",
    "http://(",
    "http://a",
    "http://a:",
    "http://a/(",
    "http://a/(-",
    "http://a/((",
    "http://a/!",
    "http://[",
    "http://é.",
    "http://a♥.",
    "http://a.b🎉",
    "http://a…",
    "http://a,b",
    "http://a\u{200B}",
    "http://a:1",
    "ipfs://a(",
    "@a@♥.",
    "@a@b♥",
    "@a@b,",
    "@aé.",
    "@a-",
    "http://a@b ",
    "xmpp:`",
    "magnet:`",
    ".http://1.1/",
    "xmpp:a(",
    "xmpp:a-",
    "magnet:?!",
    "ﷺ",
    "日本語",
    "the quick brown fox ",
];

/// Repeats the pattern up to this many bytes.
fn repeated(pattern: &str, length: usize) -> String {
    pattern.repeat(length / pattern.len())
}

/// Measures the run time. A slow run is repeated twice, because the machine may be busy for a
/// moment.
fn time(read: fn(&str), text: &str) -> Duration {
    let once = || {
        let start = Instant::now();
        read(text);
        start.elapsed()
    };
    let mut taken = once();
    for _ in 0..2 {
        if taken >= PATIENCE {
            taken = taken.min(once());
        }
    }
    taken
}

/// Time limit. Linear work takes about 100 ms in an unoptimised build on a busy machine; quadratic
/// work takes much longer than the limit.
const PATIENCE: Duration = Duration::from_secs(2);

#[test]
fn a_hundred_kilobytes_of_any_pattern_are_parsed_quickly() {
    for pattern in PATTERNS {
        let taken = time(|text| drop(parse(text)), &repeated(pattern, 100_000));
        assert!(taken < PATIENCE, "{pattern:?} took {taken:?}");
    }
}

#[test]
fn no_parser_is_slow_on_any_pattern() {
    for pattern in PATTERNS {
        for read in READERS {
            let taken = time(read, &repeated(pattern, 20_000));
            assert!(taken < PATIENCE, "{pattern:?} took {taken:?}");
        }
    }
}

/// Reconstructs the parsed text, with line ends and hashtag signs in one form.
fn source(tokens: &[Token]) -> String {
    let piece = |token: &Token| match token {
        Token::Text(text) => text.clone(),
        Token::LineBreak => "\n".to_owned(),
        Token::Mention { typed, .. } => typed.clone(),
        Token::Hashtag(hashtag) => format!("#{}", hashtag.display),
        Token::Url(url) => url.typed.clone(),
        Token::Code(code) => code.clone(),
        Token::Open(_) | Token::Close => String::new(),
    };
    tokens.iter().map(piece).collect()
}

proptest! {
    #[test]
    fn nothing_panics(text in any::<String>()) {
        for read in READERS {
            read(&text);
        }
    }

    #[test]
    fn tokens_leave_no_gaps(text in "([@#＃]|https?://|xmpp:|[a-zé日]{1,3}|[.:/() _-]|\r\n|\n|\r|\\PC)*") {
        let uniform = text.replace("\r\n", "\n").replace('\r', "\n").replace('＃', "#");
        let read = source(&parse(&text));
        prop_assert_eq!(read.replace('＃', "#"), uniform);
    }

    #[test]
    fn every_hashtag_found_is_a_hashtag(text in "([#＃]|[a-zÅ日0-9_·]{1,3}|[ /=]|\\PC)*") {
        for hashtag in hashtags(&parse(&text)) {
            prop_assert_eq!(Hashtag::parse(&hashtag.display), Some(hashtag.clone()));
        }
    }

    #[test]
    fn every_mention_found_is_a_handle(text in "(@|[a-z0-9_]{1,3}|[.:é -]|\\PC)*") {
        for token in parse(&text) {
            if let Token::Mention { handle, typed } = token {
                prop_assert_eq!(Handle::parse(&typed), Some(handle));
            }
        }
    }

    #[test]
    fn a_local_mention_is_not_followed_by_a_domain(
        text in "(@[a-z]{1,3}|[@＠.:/\\[\\]%é♥🌈 \u{200B}\u{301}-]|[a-z0-9]{1,3}|\\PC){0,12}"
    ) {
        let tokens = parse(&text);
        let mut rest = tokens.iter();
        while let Some(token) = rest.next() {
            let Token::Mention { handle, .. } = token else { continue };
            let behind = source(rest.as_slice());
            prop_assert!(!behind.starts_with(['@', '＠']), "{:?} in {:?}", handle, text);
            if handle.domain.is_none() {
                let word = behind.split(char::is_whitespace).next().unwrap_or_default();
                let joined = word.trim_start_matches(['.', '-', 'é', '\u{301}', '\u{200B}']);
                prop_assert!(!joined.starts_with(['@', '＠']), "{:?} in {:?}", handle, text);
            }
        }
    }

    /// The host must be the one that a browser reads from the whole word, up to the next white
    /// space.
    #[test]
    fn a_link_leads_to_the_host_that_was_typed(
        text in "https://[a-z♥ü]{1,4}([.,!♥🌈é%&\u{200B}\u{AD}。-]|[a-z0-9]{1,3}|é\\.ws){0,6}(:[0-9]{1,6})?(/x)?"
    ) {
        let tokens = parse(&text);
        if let [Token::Url(url), rest @ ..] = tokens.as_slice() {
            let behind = source(rest);
            let typed = url.typed.strip_prefix("https://").unwrap();
            let host = typed.split(['/', ':']).next().unwrap();
            let leads_to = url.href.strip_prefix("https://").unwrap().split(['/', ':']).next();
            prop_assert_eq!(leads_to.map(str::to_owned), normalise_domain(host).or_else(|| leads_to.map(str::to_owned)));
            prop_assert!(!behind.contains('/'), "{:?} was cut from {:?}", behind, text);
            prop_assert!(!behind.starts_with(['%', '&']), "{:?} was cut from {:?}", behind, text);
        }
    }

    #[test]
    fn counting_ignores_case(text in "[a-z@#:/. ]{0,60}") {
        prop_assert_eq!(count(&text, ""), count(&text.to_uppercase(), ""));
    }
}
