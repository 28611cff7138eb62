//! Tokens that [`crate::parse_as`] produces.

use crate::{element::Element, handle::Handle, hashtag::Hashtag};
use std::collections::HashSet;

/// Piece of a text. Tokens follow each other without gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// Plain text without line breaks; custom emoji shortcodes (`:blobcat:`) are part of it.
    Text(String),
    /// End of a line (LF, CRLF or CR).
    LineBreak,
    /// Handle of an account after an `@`. Whether the account exists is not checked here.
    Mention {
        /// Handle of the account.
        handle: Handle,
        /// Mention as typed, including `@`.
        typed: String,
    },
    /// Hashtag, including its sign.
    Hashtag(Hashtag),
    /// Link.
    Url(Url),
    /// Code with its line breaks, in which nothing is recognised. It is always inside an element.
    Code(String),
    /// Start of an element. Only texts with markup have elements; all content of such a text is
    /// inside elements.
    Open(Element),
    /// End of the innermost open element.
    Close,
}

/// Link with an allowed scheme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// Target: as typed, but with scheme and host in lower-case ASCII.
    pub href: String,
    /// Link as typed.
    pub typed: String,
}

/// Returns the accounts mentioned in a text without duplicates, in order of first mention.
pub fn mentions(tokens: &[Token]) -> Vec<&Handle> {
    let mut seen = HashSet::new();
    let handles = tokens.iter().filter_map(|token| match token {
        Token::Mention { handle, .. } => Some(handle),
        _ => None,
    });
    handles.filter(|handle| seen.insert(handle.key())).collect()
}

/// Returns the hashtags of a text without duplicates (in the spelling that came first), in order.
pub fn hashtags(tokens: &[Token]) -> Vec<&Hashtag> {
    let mut seen = HashSet::new();
    let hashtags = tokens.iter().filter_map(|token| match token {
        Token::Hashtag(hashtag) => Some(hashtag),
        _ => None,
    });
    hashtags.filter(|hashtag| seen.insert(&hashtag.name)).collect()
}

/// Returns the targets of all links of a text without duplicates, in order. Bare links and links
/// with a label are included.
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
#[cfg(feature = "markdown")]
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
    fn links_are_distinct_and_in_order_in_every_format() {
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
