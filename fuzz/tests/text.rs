//! Fuzzing of user-written text in every content type.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use siskin_fuzz::{Target, run};
use siskin_text::{
    Classes, ContentType, Handle, Hashtag, Links, MentionLink, Token, count, graphemes, hashtags,
    html_to_text, language, mentions, normalise_domain, parse, parse_as, render, render_document,
    render_field, sanitise, search_fold, shortcodes, texts_of_html, username_key, valid_shortcode,
};

#[path = "text/allowed.rs"]
mod allowed;

const FRAGMENTS: &[&[u8]] = &[
    b"@",
    b"@bob",
    b"@bob@town.example:3000",
    b"#",
    b"#Tag",
    "＃".as_bytes(),
    "#BLÅHAJ".as_bytes(),
    b"https://",
    b"https://a.example/_b_/",
    b"xmpp:",
    b"magnet:?x",
    b"javascript:",
    b"www.",
    "bücher.example".as_bytes(),
    b"[::1]",
    b"@bob@",
    "🌈.st".as_bytes(),
    "♥.ws".as_bytes(),
    b"-x.example",
    b":99999",
    b"ipfs://Qm",
    b"bank.example",
    b":",
    b":blobcat:",
    b"(",
    b")",
    b"[",
    b"]",
    b"[a](",
    b"](https://b.example)",
    b"![",
    b"{",
    b"}",
    b"<",
    b">",
    b"</",
    b"/>",
    b"&",
    b"&amp;",
    b"&lt;",
    b"&#x3C;",
    b"&#0;",
    b"&copy",
    b"&NotEqualTilde;",
    b";",
    b"\"",
    b"'",
    b"=",
    b"`",
    b"``",
    b"```\n",
    b"~~",
    b"~~~",
    b"*",
    b"**",
    b"_",
    b"__",
    b"\\",
    b"\n",
    b"\r\n",
    b"\r",
    b"\n\n",
    b" ",
    b"  \n",
    b"    ",
    b"\t",
    b"- ",
    b"1. ",
    b"> ",
    b"# ",
    b"===",
    b"---",
    b"| a |",
    b"[^1]",
    b"[x]: https://c.example\n",
    b"<p>",
    b"</p>",
    b"<br>",
    b"<b>",
    b"</b>",
    b"<i>",
    b"</i>",
    b"<a href=\"https://d.example\">",
    b"<a href=x>",
    b"</a>",
    b"<ul>",
    b"</ul>",
    b"<ol start=3 reversed>",
    b"</ol>",
    b"<li value=2>",
    b"</li>",
    b"<pre>",
    b"</pre>",
    b"<code>",
    b"</code>",
    b"<blockquote>",
    b"</blockquote>",
    b"<h1>",
    b"</h1>",
    b"<div>",
    b"</div>",
    b"<span class=\"mention u-url evil\">",
    b"<span class=invisible>",
    b"<p class=quote-inline>",
    b"<a class=mention href=\"https://d.example\">",
    b"</span>",
    b"<script>",
    b"</script>",
    b"<style>",
    b"<svg>",
    b"<math>",
    b"<title>",
    b"<textarea>",
    b"<plaintext>",
    b"<img src=x alt='y' onerror=z>",
    b"<!--",
    b"-->",
    b"<![CDATA[",
    b"]]>",
    b"<?",
    b"<!doctype",
    b"<table><tr><td>",
    b"<noscript>",
    b"<iframe>",
    b"<template>",
    b"<s>",
    b"<del>",
    b"\0",
    b"\x1b",
    "\u{301}".as_bytes(),
    "\u{200B}".as_bytes(),
    "\u{200D}".as_bytes(),
    "\u{202E}".as_bytes(),
    "\u{FE0F}\u{20E3}".as_bytes(),
    "👩\u{200D}👩".as_bytes(),
    "🇪🇺".as_bytes(),
    "ﷺ".as_bytes(),
    "ß".as_bytes(),
    "ſ".as_bytes(),
    "K".as_bytes(),
    "İ".as_bytes(),
    "ｶﾞ".as_bytes(),
    "ǆ".as_bytes(),
    "ΐ".as_bytes(),
    "が".as_bytes(),
    "。".as_bytes(),
    "日本語".as_bytes(),
    "\u{3000}".as_bytes(),
    "\u{A0}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{FDFA}".as_bytes(),
    "·".as_bytes(),
    "ͺ".as_bytes(),
    b"\xED\xA0\x80",
    b"\xFF",
    b"\xC3",
    b"%",
    b"%C3%85",
    b"%00",
    b"a",
    b"1",
    b"Zz",
    b"the weather is lovely ",
    "погода прекрасна ".as_bytes(),
];

/// [`Links`] with every account, and with addresses that are as hostile as possible.
struct HostileAccounts;

impl Links for HostileAccounts {
    fn mention(&self, handle: &Handle) -> Option<MentionLink> {
        Some(MentionLink { url: format!("https://x/\"><b>'&{handle}"), shown: handle.to_string() })
    }

    fn hashtag(&self, hashtag: &Hashtag) -> String {
        format!("https://x/'><b>\"&{}", hashtag.name)
    }
}

/// [`Links`] without accounts, so that mentions stay as typed.
struct NoAccounts;

impl Links for NoAccounts {
    fn mention(&self, _: &Handle) -> Option<MentionLink> {
        None
    }

    fn hashtag(&self, _: &Hashtag) -> String {
        "https://x".to_owned()
    }
}

fn check(input: &[u8]) -> Vec<u64> {
    let text = &*String::from_utf8_lossy(input);
    let mut features = Vec::new();
    for kind in ContentType::ALL {
        let tokens = parse_as(text, kind);
        check_tokens(text, &tokens);
        check_html(text, &render(&tokens, &HostileAccounts));
        features.extend(pairs(kind, &tokens));
    }
    for classes in [Classes::Dropped, Classes::Kept] {
        check_html(text, &sanitise(text, classes));
    }
    check_document(text);
    check_plain_text(text);
    check_names(text);
    features
}

fn check_tokens(text: &str, tokens: &[Token]) {
    assert!(tokens.len() <= 8 * text.len() + 8, "{} tokens", tokens.len());
    for handle in mentions(tokens) {
        assert_eq!(Handle::parse(&handle.to_string()).as_ref(), Some(handle));
    }
    for hashtag in hashtags(tokens) {
        assert_eq!(Hashtag::parse(&hashtag.display).as_ref(), Some(hashtag));
    }
    let _ = language::detect(tokens);
}

/// Maximum length of HTML for the foreign sanitiser, in bytes.
const MAX_CROSS_CHECKED: usize = 50_000;

thread_local! {
    static REFERENCE_SANITISER: ammonia::Builder<'static> = allowed::reference_sanitiser();
}

/// Checks that rendered HTML is well-formed and allowed, that sanitising is idempotent, and that a
/// foreign sanitiser finds nothing more to remove.
fn check_html(text: &str, html: &str) {
    allowed::check(html).unwrap_or_else(|fault| panic!("{fault} in {html}"));
    // The foreign sanitiser builds a tree and takes minutes for the entities of a large text.
    let reference = (html.len() <= MAX_CROSS_CHECKED).then(|| {
        REFERENCE_SANITISER.with(|reference_sanitiser| reference_sanitiser.clean(html).to_string())
    });
    for classes in [Classes::Dropped, Classes::Kept] {
        let clean = sanitise(html, classes);
        assert_eq!(sanitise(&clean, classes), clean, "of {html}");
        if let Some(reference) = &reference {
            assert_eq!(sanitise(reference, classes), clean, "of {html}");
        }
    }
    let longest = 1000 * text.chars().count() + 1000;
    assert!(html.len() <= longest, "{} bytes of HTML", html.len());
    for piece in texts_of_html(html) {
        assert!(html.contains(piece));
    }
}

/// Checks that the HTML of a document is well-formed and allowed. Headings count as paragraphs.
fn check_document(text: &str) {
    let html = (2..=6).fold(render_document(text), |html, level| {
        html.replace(&format!("<h{level}>"), "<p>").replace(&format!("</h{level}>"), "</p>")
    });
    allowed::check(&html).unwrap_or_else(|fault| panic!("{fault} in {html}"));
}

/// Checks that rendering a plain text preserves its words, that mentions are whole handles, and
/// that the counted length is in bounds.
fn check_plain_text(text: &str) {
    let tokens = parse(text);
    let shown = html_to_text(&render(&tokens, &NoAccounts)).replace('＃', "#");
    let typed = text.replace('＃', "#").replace('\0', "");
    assert!(shown.split_whitespace().eq(typed.split_whitespace()), "{shown}");
    allowed::check(&render_field(&tokens, &HostileAccounts))
        .unwrap_or_else(|fault| panic!("{fault}"));
    for pair in tokens.windows(2) {
        if let [Token::Mention { typed, .. }, Token::Text(behind)] = pair {
            assert!(!behind.starts_with(['@', '＠']), "{typed} is not the complete handle");
        }
    }
    let links = tokens.iter().filter(|token| matches!(token, Token::Url(_))).count();
    assert!(count(text, "") <= graphemes(text) + 24 * links);
    let _ = html_to_text(text);
}

fn check_names(text: &str) {
    let folded = search_fold(text);
    assert_eq!(search_fold(&folded), folded);
    if let Some(hashtag) = Hashtag::parse(text) {
        assert!(!hashtag.name.is_empty());
        assert_eq!(Hashtag::parse(&hashtag.name).map(|again| again.name), Some(hashtag.name));
    }
    if let Some(handle) = Handle::parse(text) {
        assert_eq!(Handle::parse(&handle.to_string()), Some(handle));
    }
    if let Some(domain) = normalise_domain(text) {
        assert_eq!(normalise_domain(&domain), Some(domain));
    }
    assert_eq!(username_key(&username_key(text)), username_key(text));
    assert!(shortcodes(text).into_iter().all(valid_shortcode));
    let _ = language::normalise(text);
}

/// Returns features of an input: the sequences of token kinds.
fn pairs(kind: ContentType, tokens: &[Token]) -> impl Iterator<Item = u64> {
    tokens.windows(3).map(move |three| {
        let mut hasher = DefaultHasher::new();
        kind.hash(&mut hasher);
        for token in three {
            std::mem::discriminant(token).hash(&mut hasher);
            if let Token::Open(element) = token {
                element.name().hash(&mut hasher);
            }
        }
        hasher.finish()
    })
}

#[test]
fn any_text_is_parsed_and_rendered_safely() {
    run(&Target { name: "text", fragments: FRAGMENTS, check });
}
