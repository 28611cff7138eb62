//! Tests that all rendered HTML is well-formed, has allowed elements only and contains the text.

use proptest::prelude::*;
use siskin_text::{Handle, Hashtag, Links, MentionLink, html_to_text, parse, render, render_field};

/// [`Links`] with every account, and with addresses that are as hostile as possible.
struct Everyone;

impl Links for Everyone {
    fn mention(&self, handle: &Handle) -> Option<MentionLink> {
        Some(MentionLink { url: format!("https://x/\"><b>'&{handle}"), shown: handle.to_string() })
    }

    fn hashtag(&self, hashtag: &Hashtag) -> String {
        format!("https://x/'><b>\"&{}", hashtag.name)
    }
}

/// Returns the allowed attributes of an element: the subset that every client keeps.
fn allowed_attributes(element: &str) -> Option<&'static [&'static str]> {
    match element {
        "p" | "br" => Some(&[]),
        "span" => Some(&["class"]),
        "a" => Some(&["href", "rel", "class"]),
        _ => None,
    }
}

/// Checks that the HTML consists of allowed elements, properly nested, and escaped text.
fn check(html: &str) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut pieces = html.split('<');
    check_text(pieces.next().unwrap_or_default())?;
    for piece in pieces {
        let (tag, text) = piece.split_once('>').ok_or("an open tag")?;
        match tag.strip_prefix('/') {
            Some(name) if open.pop() == Some(name) => {}
            Some(name) => return Err(format!("</{name}> closes nothing")),
            None => {
                let name = check_tag(tag)?;
                if name != "br" {
                    open.push(name);
                }
            }
        }
        check_text(text)?;
    }
    if open.is_empty() { Ok(()) } else { Err(format!("{open:?} left open")) }
}

fn check_tag(tag: &str) -> Result<&str, String> {
    let tag = tag.strip_suffix(" /").unwrap_or(tag);
    let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
    let allowed = allowed_attributes(name).ok_or(format!("<{name}>"))?;
    while !attributes.is_empty() {
        let (attribute, rest) = attributes.split_once("=\"").ok_or("an attribute without value")?;
        let (value, rest) = rest.split_once('"').ok_or("an open quote")?;
        if !allowed.contains(&attribute.trim()) {
            return Err(format!("{name} with {attribute}"));
        }
        if attribute.trim() == "href" && !is_safe_link(value) {
            return Err(format!("a link to {value}"));
        }
        check_text(value)?;
        attributes = rest;
    }
    Ok(name)
}

fn is_safe_link(href: &str) -> bool {
    let schemes = [
        "http", "https", "dat", "dweb", "ipfs", "ipns", "ssb", "gopher", "xmpp", "magnet", "gemini",
    ];
    href.split_once(':').is_some_and(|(scheme, _)| schemes.contains(&scheme))
}

fn check_text(text: &str) -> Result<(), String> {
    let entities = ["amp;", "lt;", "gt;", "quot;", "#39;"];
    let is_entity = |rest: &str| entities.iter().any(|entity| rest.starts_with(entity));
    let bare = text.split('&').skip(1).any(|rest| !is_entity(rest));
    if bare || text.contains(['<', '>', '"', '\'']) { Err(format!("bare: {text}")) } else { Ok(()) }
}

/// Generates text from pieces that matter to the parser, in any order.
fn typed_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("@".to_owned()),
        Just("#".to_owned()),
        Just("＃".to_owned()),
        Just("\n".to_owned()),
        Just("\r".to_owned()),
        Just(" ".to_owned()),
        Just("https://".to_owned()),
        Just("xmpp:".to_owned()),
        Just("javascript:".to_owned()),
        Just("magnet:?".to_owned()),
        Just("www.".to_owned()),
        Just("example.com".to_owned()),
        Just("/".to_owned()),
        "[()<>&\"'.,:;?!=_%\\[\\]{}|\\\\-]",
        "[a-z0-9]{1,4}",
        "\\PC",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn the_html_is_well_formed_and_allowed(text in typed_text()) {
        let tokens = parse(&text);
        prop_assert_eq!(check(&render(&tokens, &Everyone)), Ok(()));
        prop_assert_eq!(check(&render_field(&tokens, &Everyone)), Ok(()));
    }

    #[test]
    fn any_text_gives_well_formed_html(text in any::<String>()) {
        prop_assert_eq!(check(&render(&parse(&text), &Everyone)), Ok(()));
    }

    #[test]
    fn the_html_contains_the_typed_text(text in typed_text()) {
        let shown = html_to_text(&render(&parse(&text), &AsTyped));
        let typed = text.replace('＃', "#").replace('\0', "");
        let shown = shown.replace('＃', "#");
        prop_assert_eq!(words(&shown), words(&typed));
    }
}

/// [`Links`] without accounts, so that mentions stay as typed.
struct AsTyped;

impl Links for AsTyped {
    fn mention(&self, _: &Handle) -> Option<MentionLink> {
        None
    }

    fn hashtag(&self, _: &Hashtag) -> String {
        "https://x".into()
    }
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

#[test]
fn the_checker_detects_invalid_html() {
    assert_eq!(check("<p>a &amp; <a href=\"https://x\" rel=\"y\">b</a><br />c</p>"), Ok(()));
    for html in [
        "<b>x</b>",
        "<p>",
        "</p>",
        "<p><a></p></a>",
        "<p onclick=\"x\">y</p>",
        "a & b",
        "a > b",
        "<a href=\"javascript:x\">y</a>",
        "<p",
        "'",
    ] {
        assert!(check(html).is_err(), "{html}");
    }
}
