//! Documents: texts about a server, such as a privacy policy, that are pages of their own.

use crate::{markup::read_document, render::render, sanitise::Nowhere};

/// Renders a document in Markdown.
///
/// In contrast to a status, headings stay headings. They rank below the title of the page, so that
/// `#` becomes `h2`. A line break inside a paragraph becomes a blank. Addresses become links, but
/// mentions and hashtags stay text. Images become links. HTML in the text is reduced to the
/// elements of Markdown.
///
/// ```
/// let html = siskin_text::render_document("# Cookies\nWe use *one*.\n<script>alert(1)</script>");
/// assert_eq!(html, "<h2>Cookies</h2><p>We use <em>one</em>.</p>");
/// ```
pub fn render_document(markdown: &str) -> String {
    render(&read_document(markdown), &Nowhere)
}
