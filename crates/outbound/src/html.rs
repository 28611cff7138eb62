//! Other people's pages as tags and text, in the order in which they come. No tree is built: a page
//! may nest as deep as it likes.

use std::cell::RefCell;

use html5ever::{
    Attribute, local_name,
    tendril::StrTendril,
    tokenizer::{
        BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
        states::RawKind,
    },
};

/// A piece of a page.
pub(crate) enum Piece<'a> {
    Begin(&'a Tag),
    End(&'a Tag),
    /// Entities are resolved. What stands together may come in several pieces.
    Text(&'a str),
}

/// Shows every piece of a page to `see`.
pub(crate) fn read(html: &str, see: impl FnMut(Piece<'_>)) {
    let tokenizer = Tokenizer::new(Sink { see: RefCell::new(see) }, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(html));
    // Scripts are not run, so the tokenizer stops nowhere but at the end.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
}

/// The value of an attribute, by its name in lower case.
pub(crate) fn attribute<'a>(tag: &'a Tag, name: &str) -> Option<&'a str> {
    let is_it = |found: &&'a Attribute| &*found.name.local == name;
    tag.attrs.iter().find(is_it).map(|found| &*found.value)
}

/// Whether one of the words of an attribute is this one, in any case.
pub(crate) fn has_word(tag: &Tag, name: &str, word: &str) -> bool {
    attribute(tag, name).is_some_and(|words| {
        words.split_ascii_whitespace().any(|found| found.eq_ignore_ascii_case(word))
    })
}

struct Sink<F> {
    see: RefCell<F>,
}

impl<F: FnMut(Piece<'_>)> TokenSink for Sink<F> {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let tag = match token {
            Token::TagToken(tag) => tag,
            Token::CharacterTokens(text) => {
                (self.see.borrow_mut())(Piece::Text(&text));
                return TokenSinkResult::Continue;
            }
            _ => return TokenSinkResult::Continue,
        };
        if tag.kind == TagKind::EndTag {
            (self.see.borrow_mut())(Piece::End(&tag));
            return TokenSinkResult::Continue;
        }
        (self.see.borrow_mut())(Piece::Begin(&tag));
        inside(&tag)
    }
}

/// Where text may look like tags and is none.
fn inside(tag: &Tag) -> TokenSinkResult<()> {
    match tag.name {
        local_name!("title") | local_name!("textarea") => TokenSinkResult::RawData(RawKind::Rcdata),
        local_name!("style")
        | local_name!("xmp")
        | local_name!("iframe")
        | local_name!("noembed")
        | local_name!("noframes") => TokenSinkResult::RawData(RawKind::Rawtext),
        local_name!("script") => TokenSinkResult::RawData(RawKind::ScriptData),
        local_name!("plaintext") => TokenSinkResult::Plaintext,
        _ => TokenSinkResult::Continue,
    }
}
