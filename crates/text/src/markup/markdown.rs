//! Conversion of Markdown to HTML.
//!
//! Two rules of CommonMark do not suit statuses. A line break in a paragraph becomes a blank, and
//! underscores and asterisks in addresses and names become emphasis. Here, line breaks are kept.
//! Names and links are recognised before emphasis, as in plain text. Underscores at the end of a
//! name close an emphasis that began before it. Documents are wrapped by their authors, so there
//! a line break is a blank.

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd, html::push_html};
use std::ops::Range;

use crate::{characters::LITERAL, parse::read_text, token::Token};

/// What a line break inside a paragraph becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breaks {
    /// A line break.
    Kept,
    /// A blank, as in CommonMark.
    Blanks,
}

/// CommonMark plus `~~deleted~~` text, which users know from other platforms.
const OPTIONS: Options = Options::ENABLE_STRIKETHROUGH;

pub(super) fn to_html(text: &str, breaks: Breaks) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace(LITERAL, "");
    let text = with_names_escaped(&text);
    let events = Parser::new_ext(&text, OPTIONS).into_offset_iter();
    let events = events.map(|(event, span)| shown(as_escaped(event, &text[..span.start]), breaks));
    let mut html = String::with_capacity(text.len() * 2);
    push_html(&mut html, events);
    html
}

/// Marks a text that starts with an escaped sign of names or links.
fn as_escaped<'t>(event: Event<'t>, before: &str) -> Event<'t> {
    match event {
        Event::Text(piece) if before.ends_with('\\') && piece.starts_with(['@', '#', ':', '/']) => {
            Event::Text(format!("{LITERAL}{piece}").into())
        }
        other => other,
    }
}

/// Keeps line breaks if wanted. Converts images to links, because statuses have attachments for
/// images.
fn shown(event: Event<'_>, breaks: Breaks) -> Event<'_> {
    match event {
        Event::SoftBreak if breaks == Breaks::Kept => Event::HardBreak,
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Link { link_type, dest_url, title, id })
        }
        Event::End(TagEnd::Image) => Event::End(TagEnd::Link),
        other => other,
    }
}

/// Escapes each character in a mention, hashtag or link that would otherwise be markup. Code, tags
/// and links in angle brackets stay unchanged.
fn with_names_escaped(text: &str) -> String {
    let mut literal = literal_ranges(text).into_iter().peekable();
    let mut escaped = String::with_capacity(text.len() + 16);
    let mut copied = 0;
    read_text(text, None, |span, token| {
        while literal.next_if(|range| range.end <= span.start).is_some() {}
        let is_literal = literal.peek().is_some_and(|range| range.start < span.end);
        let is_name = matches!(token, Token::Mention { .. } | Token::Hashtag(_) | Token::Url(_));
        if is_name && !is_literal {
            escaped.push_str(&text[copied..span.start]);
            copied = span.end;
            escape_into(&mut escaped, &text[span]);
        }
    });
    escaped.push_str(&text[copied..]);
    escaped
}

/// Writes a name with its markup characters escaped, except for underscores at its end. Drops
/// backslashes before markup characters, because users who know Markdown escape addresses.
fn escape_into(escaped: &mut String, name: &str) {
    let inner = name.trim_end_matches('_').len();
    let mut characters = name.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let is_escape =
            c == '\\' && characters.peek().is_some_and(|(_, next)| next.is_ascii_punctuation());
        if is_escape {
            continue;
        }
        if matches!(c, '*' | '_' | '~' | '\\') && at < inner {
            escaped.push('\\');
        }
        escaped.push(c);
    }
}

/// Returns the ranges in which a backslash is literal, in order and without overlaps.
fn literal_ranges(text: &str) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
        let is_literal = matches!(
            event,
            Event::Code(_)
                | Event::Html(_)
                | Event::InlineHtml(_)
                | Event::Start(
                    Tag::CodeBlock(_)
                        | Tag::HtmlBlock
                        | Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. }
                )
        );
        if is_literal && ranges.last().is_none_or(|last| last.end <= range.start) {
            ranges.push(range);
        }
    }
    ranges
}
