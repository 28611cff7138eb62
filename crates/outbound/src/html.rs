//! Streaming reader for foreign HTML pages: tags and text in document order. It builds no tree, so
//! nesting costs nothing, and the work is linear in the length of the page.

use html5gum::{
    Emitter, ForwardingEmitter, Span, State, Token, Tokenizer,
    emitters::callback::{Callback, CallbackEmitter, CallbackEvent},
};

/// Maximum number of start tags per page; parsing stops after them.
const MAX_TAGS: usize = 300_000;
/// Maximum number of attributes kept per tag; the others are skipped.
const MAX_ATTRIBUTES: usize = 128;
/// Maximum number of attributes per page; parsing stops after them.
const MAX_ATTRIBUTES_OF_PAGE: usize = 400_000;
/// Maximum length of an attribute value in bytes; longer values are cut. HTML in oEmbed and values
/// of `meta` are shorter.
const MAX_VALUE: usize = 64 << 10;

/// Part of a page.
pub(crate) enum Piece<'a> {
    Start(&'a Tag),
    End(&'a str),
    /// Text with entities resolved. Adjacent text may arrive in several pieces.
    Text(&'a str),
}

/// Start tag.
#[derive(Debug, Default)]
pub(crate) struct Tag {
    /// Name in lower case.
    pub(crate) name: String,
    /// Attributes with names in lower case, without duplicates, and their values.
    attributes: Vec<(String, String)>,
}

/// Passes all parts of a page to `visit`, within the limits above.
///
/// Runs for up to some hundred milliseconds: call it on a blocking thread.
pub(crate) fn read(html: &str, visit: impl FnMut(Piece<'_>)) {
    let sink = Sink {
        visit,
        tag: Tag::default(),
        is_open: false,
        keeps_value: false,
        inside: None,
        tags: 0,
        attributes: 0,
    };
    let mut tokens =
        Tokenizer::new_with_emitter(html, BrowserEmitter { inner: CallbackEmitter::new(sink) })
            .flatten();
    // The sink yields only the signal to stop.
    let _ = tokens.next();
}

/// Resolves the HTML entities of a text once. Tags in it are treated as text.
pub(crate) fn resolved(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut tokens = Tokenizer::new(text);
    tokens.set_state(State::RcData);
    let mut resolved = String::with_capacity(text.len());
    for token in tokens.flatten() {
        if let Token::String(piece) = token {
            resolved.push_str(&String::from_utf8_lossy(&piece));
        }
    }
    resolved
}

/// Returns the value of an attribute, by its name in lower case.
pub(crate) fn attribute<'a>(tag: &'a Tag, name: &str) -> Option<&'a str> {
    tag.attributes.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
}

/// Returns `true` if the attribute contains this word, ignoring case.
pub(crate) fn has_word(tag: &Tag, name: &str, word: &str) -> bool {
    attribute(tag, name).is_some_and(|words| {
        words.split_ascii_whitespace().any(|found| found.eq_ignore_ascii_case(word))
    })
}

/// Signal that a limit is reached.
struct Stop;

struct Sink<F> {
    visit: F,
    tag: Tag,
    /// Whether `tag` is being read; end tags report attributes, too.
    is_open: bool,
    /// Whether the value that follows belongs to the last attribute of `tag`.
    keeps_value: bool,
    /// Tokenizer state after the last start tag.
    inside: Option<State>,
    tags: usize,
    attributes: usize,
}

impl<F: FnMut(Piece<'_>)> Callback<Stop, ()> for Sink<F> {
    fn handle_event(&mut self, event: CallbackEvent<'_>, _: Span<()>) -> Option<Stop> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag = Tag { name: text(name), attributes: Vec::new() };
                self.is_open = true;
                self.tags += 1;
            }
            CallbackEvent::AttributeName { name } => {
                self.attributes += 1;
                self.keeps_value = self.is_open && self.begin_attribute(name);
                return (self.attributes > MAX_ATTRIBUTES_OF_PAGE).then_some(Stop);
            }
            CallbackEvent::AttributeValue { value } if self.keeps_value => {
                if let Some((_, stored)) = self.tag.attributes.last_mut() {
                    *stored = text(&value[..value.len().min(MAX_VALUE)]);
                }
                self.keeps_value = false;
            }
            CallbackEvent::CloseStartTag { .. } if self.tags > MAX_TAGS => return Some(Stop),
            CallbackEvent::CloseStartTag { .. } => {
                self.is_open = false;
                self.inside = state_inside(&self.tag.name);
                (self.visit)(Piece::Start(&self.tag));
            }
            CallbackEvent::EndTag { name } => {
                self.is_open = false;
                (self.visit)(Piece::End(&text(name)));
            }
            CallbackEvent::String { value } => {
                (self.visit)(Piece::Text(&String::from_utf8_lossy(value)));
            }
            _ => {}
        }
        None
    }
}

impl<F> Sink<F> {
    /// Adds an attribute without a value; `false` if it is a duplicate or one too many.
    fn begin_attribute(&mut self, name: &[u8]) -> bool {
        let attributes = &mut self.tag.attributes;
        let is_new = attributes.len() < MAX_ATTRIBUTES
            && attributes.iter().all(|(known, _)| known.as_bytes() != name);
        if is_new {
            attributes.push((text(name), String::new()));
        }
        is_new
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Switches the tokenizer's state as a browser without scripts does.
struct BrowserEmitter<F: FnMut(Piece<'_>)> {
    inner: CallbackEmitter<Sink<F>, Stop>,
}

impl<F: FnMut(Piece<'_>)> ForwardingEmitter for BrowserEmitter<F> {
    type Token = Stop;

    fn inner(&mut self) -> &mut impl Emitter<Token = Stop> {
        &mut self.inner
    }

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        // The state follows from the start tag that this call completes, if it is one.
        let _ = Emitter::emit_current_tag(&mut self.inner);
        self.inner.callback_mut().inside.take()
    }
}

/// Returns the tokenizer state after a start tag, if its content is text even where it looks like
/// tags.
fn state_inside(name: &str) -> Option<State> {
    match name {
        "title" | "textarea" => Some(State::RcData),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" => Some(State::RawText),
        "script" => Some(State::ScriptData),
        "plaintext" => Some(State::PlainText),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fmt::Write,
        time::{Duration, Instant},
    };

    use super::*;

    /// Returns the counts of a page: start tags, end tags, bytes of text.
    fn piece_counts(html: &str) -> (usize, usize, usize) {
        let mut piece_counts = (0, 0, 0);
        read(html, |piece| match piece {
            Piece::Start(_) => piece_counts.0 += 1,
            Piece::End(_) => piece_counts.1 += 1,
            Piece::Text(text) => piece_counts.2 += text.len(),
        });
        piece_counts
    }

    /// Reads a mebibyte of each construct that would make a parser quadratic.
    #[test]
    fn hostile_pages_of_a_mebibyte_are_parsed_within_seconds() {
        let mut attributes = String::from("<x");
        for number in 0..200_000 {
            write!(attributes, " {number:x}").unwrap();
        }
        let unit = |unit: &str| unit.repeat((1 << 20) / unit.len());
        for html in [
            attributes.clone(),
            attributes.clone() + ">",
            attributes.replace("<x", "</x") + ">",
            "<a x=".to_owned() + &unit("&amp"),
            unit("<i>"),
            unit("<i>") + &unit("</b>"),
            unit("<a href=x rel=me>"),
            unit("<title>"),
            unit("<script><!--<script>"),
            unit("<!--"),
            unit("<!-- --!>"),
            unit("<![CDATA["),
            unit("</"),
            unit("&#x"),
            unit("&notit;"),
            unit("<!doctype "),
            unit("<x a=\"'"),
            unit("\0"),
        ] {
            let start = Instant::now();
            piece_counts(&html);
            let took = start.elapsed();
            assert!(took < Duration::from_secs(20), "{took:?}: {}", &html[..20]);
        }
    }

    #[test]
    fn tags_and_attributes_beyond_the_limits_are_not_read() {
        assert_eq!(piece_counts(&"<i>".repeat(2 * MAX_TAGS)).0, MAX_TAGS);
        let mut html = String::from("<x");
        for number in 0..MAX_ATTRIBUTES {
            write!(html, " a{number}=1").unwrap();
        }
        let mut last = None;
        read(&(html + " late=1><p>"), |piece| {
            if let Piece::Start(tag) = piece {
                last = Some((tag.name.clone(), attribute(tag, "late").is_some()));
                assert!(tag.name == "p" || attribute(tag, "a127") == Some("1"));
            }
        });
        assert_eq!(last, Some(("p".to_owned(), false)));
    }

    #[test]
    fn the_first_of_two_attributes_counts_and_end_tags_have_none() {
        let mut found = Vec::new();
        read("<A B=1 b=2 c></a b=3><p d>x</p>", |piece| {
            if let Piece::Start(tag) = piece {
                let value = |name| attribute(tag, name).map(str::to_owned);
                found.push((tag.name.clone(), value("b"), value("c"), value("d")));
            }
        });
        let (one, none) = (Some("1".to_owned()), Some(String::new()));
        assert_eq!(
            found,
            [("a".to_owned(), one, none.clone(), None), ("p".to_owned(), None, None, none)]
        );
    }
}
