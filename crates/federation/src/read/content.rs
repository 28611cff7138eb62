//! The text of an object as the HTML that clients get.
//!
//! Each part goes through the sanitiser of `siskin_text` before the parts are joined, so an element
//! that is left open in one part hides nothing of the next one.

use siskin_text::{escape, html_to_text, render_document};

use super::{
    clean::sanitise,
    cut::beginning,
    limits::{CONTENT_BYTES, LONG_ARTICLE_CHARACTERS, NAME_CHARACTERS, SUMMARY_BYTES},
    object::ObjectKind,
    texts,
    values::essence,
};
use crate::{address::Uri, json::Members};

/// Size of unsanitised HTML that is looked at, in bytes. Attributes and tags that are dropped may
/// be most of it.
const MAX_RAW_BYTES: usize = 4 * CONTENT_BYTES;

/// Begin of the paragraph above the text of a quote.
const QUOTE_MARK: &str = "<p class=\"quote-inline\">";

/// Texts of an object.
#[derive(Debug, Default)]
pub(super) struct Content {
    /// Sanitised HTML.
    pub(super) html: String,
    /// Content warning.
    pub(super) warning: Option<String>,
    /// Title, if the text of the object has one.
    pub(super) title: Option<String>,
}

/// Returns the texts of an object. `link` is the address to which shortened and titled texts lead.
pub(super) fn content(members: Members<'_>, kind: &ObjectKind, link: &Uri) -> Content {
    let body = sanitise(&body(members));
    let title = title(members, kind, &body);
    let (summary, warning) =
        if kind.has_title() { (summary(members), None) } else { (String::new(), warning(members)) };
    let head = head(title.as_deref(), &event(members, kind));
    let end = if kind.has_title() { link_to(link) } else { String::new() };
    let is_long = *kind == ObjectKind::Article && is_long(&body);
    let html = if body.is_empty() {
        format!("{head}{summary}{end}")
    } else if is_long && !summary.is_empty() {
        format!("{head}{summary}{end}{body}")
    } else {
        format!("{head}{body}{end}")
    };
    Content { html: shortened(html, link), warning, title }
}

/// Returns the HTML of an object that quotes nothing. Filters and search skip the paragraph above
/// the text of a quote, so no other object may have one.
pub(super) fn without_quote_mark(html: String) -> String {
    match html.strip_prefix(QUOTE_MARK) {
        Some(rest) => format!("<p>{rest}"),
        None => html,
    }
}

/// Returns the sanitised text of a profile.
pub(super) fn profile(members: Members<'_>) -> String {
    let summary = members.natural("summary").map_or("", |(text, _)| text);
    beginning(&sanitise(text_before(summary, 8 * SUMMARY_BYTES)), SUMMARY_BYTES)
}

/// Returns the content of an object as HTML, which is not sanitised.
fn body(members: Members<'_>) -> String {
    let Some((text, _)) = members.natural("content") else { return String::new() };
    match essence(members.text("mediaType").unwrap_or_default()).as_str() {
        "text/markdown" => render_document(text_before(text, CONTENT_BYTES)),
        "text/plain" => plain(text_before(text, CONTENT_BYTES)),
        _ => text_before(text, MAX_RAW_BYTES).to_owned(),
    }
}

fn plain(text: &str) -> String {
    let paragraphs = text.split("\n\n").filter(|it| !it.trim().is_empty());
    paragraphs.map(|it| format!("<p>{}</p>", escape(it).replace('\n', "<br />"))).collect()
}

/// Returns the title. The name of a vote is no title: a vote has no content.
fn title(members: Members<'_>, kind: &ObjectKind, body: &str) -> Option<String> {
    let is_titled = kind.has_title() || *kind == ObjectKind::Question || !body.is_empty();
    let (name, _) = members.natural("name").filter(|_| is_titled)?;
    texts::line(name, NAME_CHARACTERS)
}

/// Returns the content warning. A zero-width space alone, which Misskey sends, is none.
fn warning(members: Members<'_>) -> Option<String> {
    let (summary, _) = members.natural("summary")?;
    texts::lines(text_before(summary, SUMMARY_BYTES), SUMMARY_BYTES)
}

/// Returns the sanitised summary of an object with a title, which is a text. A preview is a note
/// with a shorter text.
fn summary(members: Members<'_>) -> String {
    let preview = || members.object("preview").and_then(|it| it.natural("content"));
    let (summary, _) = members.natural("summary").or_else(preview).unwrap_or_default();
    sanitise(text_before(summary, SUMMARY_BYTES))
}

/// Returns time and place of an event as HTML.
fn event(members: Members<'_>, kind: &ObjectKind) -> String {
    if *kind != ObjectKind::Event {
        return String::new();
    }
    let time = super::time::time_of(members, "startTime").map(|time| {
        let time = time.to_string();
        format!("{} UTC", time.get(..16).unwrap_or_default().replace('T', " "))
    });
    let place = members.object("location").and_then(|it| it.natural("name")).map(|(name, _)| name);
    let place = place.or_else(|| members.text("location"));
    let place = place.and_then(|name| texts::line(name, NAME_CHARACTERS));
    let lines: Vec<String> = time.into_iter().chain(place).map(|line| escape(&line)).collect();
    sanitise(&format!("<p>{}</p>", lines.join("<br />")))
}

/// Returns what stands before the text: the title in bold, and the facts of an event.
fn head(title: Option<&str>, event: &str) -> String {
    let title = title.map(|title| format!("<p><strong>{}</strong></p>", escape(title)));
    format!("{}{event}", sanitise(&title.unwrap_or_default()))
}

fn is_long(body: &str) -> bool {
    body.len() > LONG_ARTICLE_CHARACTERS
        && html_to_text(body).chars().count() > LONG_ARTICLE_CHARACTERS
}

fn link_to(address: &Uri) -> String {
    let address = escape(address.as_str());
    sanitise(&format!("<p><a href=\"{address}\">{address}</a></p>"))
}

/// Returns HTML of at most the size of a status. If it is cut, a link leads to the rest.
fn shortened(html: String, address: &Uri) -> String {
    if html.len() <= CONTENT_BYTES {
        return html;
    }
    format!("{}{}", beginning(&html, CONTENT_BYTES), link_to(address))
}

/// Returns the beginning of a text, at most `bytes` long.
fn text_before(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or_default()
}
