//! Texts with markup: parses Markdown and HTML into the same tokens as plain text.
//!
//! Markdown is converted to HTML first, so that there is one reader with one set of rules. [`html`]
//! reads tags, and [`builder`] keeps elements well-formed. This module writes no HTML for display:
//! displayed HTML is rendered from the tokens.

mod builder;
mod classes;
mod html;
mod label;
#[cfg(feature = "markdown")]
mod markdown;

use crate::{sanitise::Classes, token::Token};
use builder::Builder;
pub(crate) use builder::Names;
use html::Marks;
pub(crate) use html::PROTECTED;

/// Parses HTML.
pub(crate) fn read_html(html: &str, names: Names, classes: Classes) -> Vec<Token> {
    let mut builder = Builder::new(names);
    html::read(html, Marks::Ignored, classes, &mut builder);
    builder.finish()
}

/// Parses translated HTML. The placeholder elements of [`crate::ProtectedText`] become markers.
pub(crate) fn read_html_with_protected(html: &str) -> Vec<Token> {
    let mut builder = Builder::new(Names::AsText);
    html::read(html, Marks::Read, Classes::Dropped, &mut builder);
    builder.finish()
}

/// Parses Markdown and recognises the names in it.
#[cfg(feature = "markdown")]
pub(crate) fn read_markdown(text: &str) -> Vec<Token> {
    let html = markdown::to_html(text, markdown::Breaks::Kept);
    read_html(&html, Names::Recognised, Classes::Dropped)
}

/// Parses a document in Markdown. It keeps its headings, and only links are recognised in it.
#[cfg(feature = "markdown")]
pub(crate) fn read_document(text: &str) -> Vec<Token> {
    let html = markdown::to_html(text, markdown::Breaks::Blanks);
    read_html(&html, Names::LinksOfDocument, Classes::Dropped)
}
