//! What a text is made of, as [`crate::parse_as`] finds it.

use crate::{element::Element, handle::Handle, hashtag::Hashtag};
use std::collections::HashSet;

/// A piece of a text. Pieces follow each other without gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// Plain text without line breaks; custom emoji shortcodes (`:blobcat:`) are part of it.
    Text(String),
    /// The end of a line (LF, CRLF or CR).
    LineBreak,
    /// The name of an account, led by `@`; whether it exists is not known here.
    Mention {
        /// The account meant.
        handle: Handle,
        /// The mention as typed, `@` included.
        typed: String,
    },
    /// A hashtag, sign included.
    Hashtag(Hashtag),
    /// A link.
    Url(Url),
    /// Code, line breaks and all, in which nothing is recognised. It stands in an element.
    Code(String),
    /// An element begins. Only texts that have marks have elements; all of such a text stands in
    /// elements.
    Open(Element),
    /// The innermost element that is open ends.
    Close,
}

/// A link with an allowed scheme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// Where it leads: as typed, but scheme and host are in lower-case ASCII.
    pub href: String,
    /// The link as typed.
    pub typed: String,
}

/// The accounts named in a text, each once, in the order of their first mention.
pub fn mentions(tokens: &[Token]) -> Vec<&Handle> {
    let mut seen = HashSet::new();
    let handles = tokens.iter().filter_map(|token| match token {
        Token::Mention { handle, .. } => Some(handle),
        _ => None,
    });
    handles.filter(|handle| seen.insert(handle.key())).collect()
}

/// The hashtags of a text, each once (in the spelling that came first), in order.
pub fn hashtags(tokens: &[Token]) -> Vec<&Hashtag> {
    let mut seen = HashSet::new();
    let hashtags = tokens.iter().filter_map(|token| match token {
        Token::Hashtag(hashtag) => Some(hashtag),
        _ => None,
    });
    hashtags.filter(|hashtag| seen.insert(&hashtag.name)).collect()
}

/// Where the links of a text lead, each once, in order: those that stand there as addresses and
/// those with a label.
pub fn links(tokens: &[Token]) -> Vec<&str> {
    let mut seen = HashSet::new();
    let links = tokens.iter().filter_map(|token| match token {
        Token::Url(url) => Some(url.href.as_str()),
        Token::Open(Element::Link { href, .. }) => Some(href.as_str()),
        _ => None,
    });
    links.filter(|link| seen.insert(*link)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ContentType, parse, parse_as};

    #[test]
    fn mentions_are_distinct_and_in_order() {
        let tokens = parse("@bob @Alice@x.example @BOB @alice@X.example @alice");
        let handles: Vec<String> = mentions(&tokens).iter().map(ToString::to_string).collect();
        assert_eq!(handles, ["bob", "Alice@x.example", "alice"]);
    }

    #[test]
    fn links_are_distinct_and_in_order_however_they_are_written() {
        let plain =
            parse("@bob@x.example #tag https://b.example/ http://a.example https://b.example/");
        assert_eq!(links(&plain), ["https://b.example/", "http://a.example"]);
        let marked = parse_as(
            "[b](https://b.example/) `https://c.example` https://d.example",
            ContentType::Markdown,
        );
        assert_eq!(links(&marked), ["https://b.example/", "https://d.example"]);
    }

    #[test]
    fn hashtags_are_distinct_and_in_order() {
        let tokens = parse("#Two #one #two #ONE #three");
        let names: Vec<&str> = hashtags(&tokens).iter().map(|tag| tag.display.as_str()).collect();
        assert_eq!(names, ["Two", "one", "three"]);
    }
}
