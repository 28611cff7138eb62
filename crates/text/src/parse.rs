//! The parser for statuses, profile texts and profile fields of every content type.
//!
//! Plain text is read in one pass. At each position, the parser checks for a line break, a mention,
//! a hashtag or a link; everything else is text. It makes no look-ups. [`crate::markup`] reads the
//! markup of Markdown and HTML, and the text between is parsed here.

mod mention;
mod url;

#[cfg(feature = "markdown")]
use crate::{content_type::ContentType, markup, sanitise::Classes};
use crate::{
    hashtag::{Hashtag, is_hashtag_sign, may_precede_hashtag},
    token::Token,
};
use std::ops::Range;
#[cfg(feature = "html")]
pub(crate) use url::{destination, read_href};

/// Parses a plain text.
///
/// - A mention is `@name` or `@name@domain`, with a port if the domain has one. It does not begin
///   inside a word, an email address or a path. Trailing dots and hyphens are not part of it.
/// - [`Hashtag`] defines what a hashtag is. It does not begin inside a word, a path or a query.
/// - A link has one of the schemes http, https, dat, dweb, ipfs, ipns, ssb, gopher, gemini, xmpp
///   or magnet. It includes balanced parentheses but not trailing punctuation. Nothing inside a
///   link is recognised as another token.
///
/// ```
/// use siskin_text::{Token, parse};
///
/// let tokens = parse("see (https://example.com/a_(b)).");
/// let Token::Url(url) = &tokens[1] else { panic!("{tokens:?}") };
/// assert_eq!(url.href, "https://example.com/a_(b)");
/// ```
pub fn parse(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    read_text(text, None, |_, token| tokens.push(token));
    tokens
}

/// Parses a text of content type `kind`. Mentions, hashtags and links follow the rules of plain
/// text in Markdown and HTML, too. They are not recognised in code and in link labels.
///
/// ```
/// use siskin_text::{ContentType, hashtags, parse_as};
///
/// let tokens = parse_as("**#Rust** but `#not`", ContentType::Markdown);
/// let names: Vec<_> = hashtags(&tokens).iter().map(|tag| tag.name.clone()).collect();
/// assert_eq!(names, ["rust"]);
/// ```
#[cfg(feature = "markdown")]
pub fn parse_as(text: &str, kind: ContentType) -> Vec<Token> {
    match kind {
        ContentType::Plain => parse(text),
        ContentType::Markdown => markup::read_markdown(text),
        ContentType::Html => markup::read_html(text, markup::Names::Recognised, Classes::Dropped),
    }
}

/// Reads a text that follows the character `before` on the same line. Calls `found` with each token
/// and its byte range. Ranges follow each other without gaps.
pub(crate) fn read_text(
    text: &str,
    before: Option<char>,
    mut found: impl FnMut(Range<usize>, Token),
) {
    let mut before = before;
    let (mut text_from, mut at) = (0, 0);
    while let Some(c) = text[at..].chars().next() {
        let length = if let Some((token, length)) = recognise(&text[at..], c, before) {
            push_text(text, text_from..at, &mut found);
            found(at..at + length, token);
            text_from = at + length;
            length
        } else {
            c.len_utf8()
        };
        before = text[at..at + length].chars().next_back();
        at += length;
    }
    push_text(text, text_from..at, &mut found);
}

fn push_text(text: &str, span: Range<usize>, found: &mut impl FnMut(Range<usize>, Token)) {
    if !span.is_empty() {
        found(span.clone(), Token::Text(text[span].to_owned()));
    }
}

/// Returns the token that begins with the first character `c` of `rest`, and its length in bytes.
fn recognise(rest: &str, c: char, before: Option<char>) -> Option<(Token, usize)> {
    let follows = |may_precede: fn(char) -> bool| before.is_none_or(may_precede);
    match c {
        '\r' if rest.starts_with("\r\n") => Some((Token::LineBreak, 2)),
        '\n' | '\r' => Some((Token::LineBreak, 1)),
        '@' if follows(mention::may_precede) => mention::at_start_of(rest),
        _ if is_hashtag_sign(c) && follows(may_precede_hashtag) => {
            let (hashtag, length) = Hashtag::at_start_of(rest)?;
            Some((Token::Hashtag(hashtag), length))
        }
        _ if c.is_ascii_alphabetic() && follows(url::may_precede) => url::at_start_of(rest),
        _ => None,
    }
}
