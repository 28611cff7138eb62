//! The one parser of plain text: statuses, profile texts and profile fields.
//!
//! It goes through the text once. At each place it asks whether a line break, a mention, a
//! hashtag or a link begins there; what is none of these is text. It looks nothing up.

mod mention;
mod url;

use crate::{
    hashtag::{Hashtag, is_hashtag_sign, may_precede_hashtag},
    token::Token,
};

/// Takes a text apart.
///
/// - A mention is `@name` or `@name@domain`, with a port if the domain has one; it does not begin
///   inside a word, an e-mail address or a path. Trailing dots and hyphens are not part of it.
/// - A hashtag is as [`Hashtag`] says; it does not begin inside a word, a path or a query.
/// - A link has one of the schemes http, https, dat, dweb, ipfs, ipns, ssb, gopher, gemini, xmpp
///   or magnet. It keeps balanced parentheses and sheds the punctuation of the sentence around
///   it. Inside of it nothing else is recognised.
pub fn parse(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut plain = String::new();
    let mut before = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = if let Some((token, length)) = recognise(rest, c, before) {
            flush(&mut plain, &mut tokens);
            tokens.push(token);
            length
        } else {
            plain.push(c);
            c.len_utf8()
        };
        let (taken, remaining) = rest.split_at(length);
        before = taken.chars().next_back();
        rest = remaining;
    }
    flush(&mut plain, &mut tokens);
    tokens
}

fn flush(plain: &mut String, tokens: &mut Vec<Token>) {
    if !plain.is_empty() {
        tokens.push(Token::Text(std::mem::take(plain)));
    }
}

/// The token that begins with the first character `c` of `rest`, and its length in bytes.
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
