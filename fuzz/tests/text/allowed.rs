//! Checks of rendered HTML, by our own rules and with a foreign sanitiser.

use std::collections::{HashMap, HashSet};

const SCHEMES: [&str; 11] =
    ["http", "https", "dat", "dweb", "ipfs", "ipns", "ssb", "gopher", "xmpp", "magnet", "gemini"];

/// Elements that clients show, with the attributes that they keep.
const ELEMENTS: [(&str, &[&str]); 16] = [
    ("p", &["class"]),
    ("br", &[]),
    ("span", &["class"]),
    ("a", &["href", "rel", "class"]),
    ("del", &[]),
    ("pre", &[]),
    ("code", &[]),
    ("em", &[]),
    ("strong", &[]),
    ("b", &[]),
    ("i", &[]),
    ("u", &[]),
    ("ul", &[]),
    ("ol", &["start", "reversed"]),
    ("li", &["value"]),
    ("blockquote", &[]),
];

/// Maximum nesting depth of elements.
const DEEPEST: usize = 30;

/// Returns the foreign sanitiser, configured with the same lists.
pub fn reference_sanitiser() -> ammonia::Builder<'static> {
    let mut reference_sanitiser = ammonia::Builder::empty();
    let attributes: HashMap<&str, HashSet<&str>> =
        ELEMENTS.iter().map(|(name, kept)| (*name, kept.iter().copied().collect())).collect();
    reference_sanitiser
        .tags(ELEMENTS.iter().map(|(name, _)| *name).collect())
        .tag_attributes(attributes)
        .url_schemes(SCHEMES.into())
        .link_rel(None);
    reference_sanitiser
}

/// Checks that the HTML consists of allowed elements, properly nested, and escaped text.
pub fn check(html: &str) -> Result<(), String> {
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
                    check_position(name, &open)?;
                    open.push(name);
                }
            }
        }
        check_text(text)?;
    }
    if open.is_empty() { Ok(()) } else { Err(format!("{open:?} left open")) }
}

fn check_position(name: &str, open: &[&str]) -> Result<(), String> {
    let is_block = ["p", "pre", "ul", "ol", "li", "blockquote"].contains(&name);
    let parent = open.last().copied().unwrap_or_default();
    let fits = match parent {
        "" => true,
        "ul" | "ol" => name == "li",
        "li" => name != "li",
        "blockquote" => is_block && name != "li",
        _ => !is_block,
    };
    let is_nested_link = name == "a" && open.contains(&"a");
    if !fits || is_nested_link || open.len() > DEEPEST {
        return Err(format!("<{name}> in {open:?}"));
    }
    Ok(())
}

fn check_tag(tag: &str) -> Result<&str, String> {
    let tag = tag.strip_suffix(" /").unwrap_or(tag);
    let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
    let allowed = ELEMENTS.iter().find(|(known, _)| *known == name);
    let (_, allowed) = allowed.ok_or(format!("<{name}>"))?;
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
    href.split_once(':').is_some_and(|(scheme, _)| SCHEMES.contains(&scheme))
}

fn check_text(text: &str) -> Result<(), String> {
    let entities = ["amp;", "lt;", "gt;", "quot;", "#39;"];
    let is_entity = |rest: &str| entities.iter().any(|entity| rest.starts_with(entity));
    let bare = text.split('&').skip(1).any(|rest| !is_entity(rest));
    if bare || text.contains(['<', '>', '"', '\'']) { Err(format!("bare: {text}")) } else { Ok(()) }
}
