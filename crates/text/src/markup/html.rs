//! Reads HTML like a browser and passes on the parts that are kept.
//!
//! The kept elements and attributes are those of [`Element`]. Headings become bold paragraphs,
//! except in documents. Images become their description. Other elements are dropped and their text
//! is kept, except for elements with content that browsers do not display.

use html5gum::{EndTag, HtmlString, StartTag, Token, Tokenizer, emitters::default::DefaultEmitter};

use super::{
    builder::Builder,
    classes::{has_quote_class, kept_classes},
};
use crate::{element::Element, parse::read_href, protected_text::mark, sanitise::Classes};

/// Elements that contain no displayed text.
const HIDDEN: [&str; 6] = ["script", "style", "title", "iframe", "noscript", "noembed"];

/// Attribute of placeholder elements of [`crate::ProtectedText`]; its value is the number of the
/// piece.
pub(crate) const PROTECTED: &str = "data-kept";

/// Whether placeholder elements with [`PROTECTED`] are recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marks {
    Ignored,
    Read,
}

pub(super) fn read(html: &str, marks: Marks, classes: Classes, builder: &mut Builder) {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut hidden: Option<String> = None;
    for token in Tokenizer::new_with_emitter(html, emitter).flatten() {
        match token {
            Token::StartTag(tag) if hidden.is_none() => {
                let name = text_of(&tag.name);
                let protected = attribute(&tag, PROTECTED).filter(|_| marks == Marks::Read);
                if let Some(number) = protected {
                    builder.text(&mark(&number));
                    hidden = Some(name).filter(|_| !tag.self_closing);
                } else if HIDDEN.contains(&name.as_str()) && !tag.self_closing {
                    hidden = Some(name);
                } else {
                    start(&name, &tag, classes, builder);
                }
            }
            Token::EndTag(tag) => end(&tag, &mut hidden, builder),
            Token::String(text) if hidden.is_none() => builder.text(&text_of(&text)),
            _ => {}
        }
    }
}

fn text_of(bytes: &HtmlString) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn start(name: &str, tag: &StartTag<()>, classes: Classes, builder: &mut Builder) {
    match name {
        "br" => builder.line_break(),
        "img" => builder.text(&attribute(tag, "alt").unwrap_or_default()),
        "td" | "th" | "option" => builder.text(" "),
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => builder.open_heading(level_of(name)),
        _ if is_dropped_block(name) => builder.boundary(),
        _ => element(name, tag, classes).into_iter().for_each(|element| builder.open(element)),
    }
}

fn end(tag: &EndTag<()>, hidden: &mut Option<String>, builder: &mut Builder) {
    let name = text_of(&tag.name);
    if hidden.is_some() {
        if hidden.as_ref() == Some(&name) {
            *hidden = None;
        }
        return;
    }
    match name.as_str() {
        // Browsers treat `</br>` like `<br>`.
        "br" => builder.line_break(),
        "s" | "strike" => builder.close("del"),
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => builder.close_heading(level_of(&name)),
        name if is_dropped_block(name) => builder.boundary(),
        name => builder.close(name),
    }
}

/// Returns the rank of a heading by its tag name.
fn level_of(name: &str) -> u8 {
    name.bytes().last().map_or(1, |digit| digit.saturating_sub(b'0'))
}

/// Returns `true` for dropped elements that end the line before and after them.
fn is_dropped_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "body"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "header"
            | "hr"
            | "main"
            | "nav"
            | "section"
            | "summary"
            | "table"
            | "tr"
    )
}

/// Returns the element that a tag is converted to, if it is kept.
fn element(name: &str, tag: &StartTag<()>, classes: Classes) -> Option<Element> {
    let number = |name| attribute(tag, name).and_then(|value| value.trim().parse().ok());
    // Empty if classes are dropped.
    let class = || attribute(tag, "class").filter(|_| classes == Classes::Kept);
    let kept = || kept_classes(name, &class().unwrap_or_default());
    Some(match name {
        "p" if class().is_some_and(|class| has_quote_class(&class)) => Element::QuoteLink,
        "p" => Element::Paragraph,
        "span" if classes == Classes::Kept => Element::Span { classes: kept() },
        "blockquote" => Element::Quote,
        "pre" => Element::Preformatted,
        "ul" => Element::BulletList,
        "ol" => Element::NumberedList {
            start: number("start"),
            reversed: attribute(tag, "reversed").is_some(),
        },
        "li" => Element::Item { value: number("value") },
        "a" => Element::Link { href: safe_link(&attribute(tag, "href")?)?, classes: kept() },
        "code" => Element::Code,
        "em" => Element::Emphasis,
        "strong" => Element::Strong,
        "b" => Element::Bold,
        "i" => Element::Italic,
        "u" => Element::Underlined,
        "del" | "s" | "strike" => Element::Deleted,
        _ => return None,
    })
}

fn attribute(tag: &StartTag<()>, name: &str) -> Option<String> {
    tag.attributes.get(name.as_bytes()).map(|value| text_of(&value.value))
}

/// Returns an address that may be linked, without the characters that browsers ignore: surrounding
/// white space, and line breaks and tabs anywhere. Returns `None` for relative addresses, because
/// their base is unknown.
fn safe_link(href: &str) -> Option<String> {
    let is_ignored = |c: char| c <= ' ' || c == '\u{7F}';
    let href = href.trim_matches(is_ignored);
    let href: String = href.chars().filter(|c| !c.is_control()).collect();
    read_href(&href)
}
