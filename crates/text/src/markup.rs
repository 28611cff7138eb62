//! Texts that have marks: Markdown and HTML, read into the tokens that plain text is read into.
//!
//! Markdown becomes HTML first, so that there is one reader, and one rule of what is kept. That
//! reader ([`html`]) understands tags, [`builder`] keeps elements in proper order, and nothing
//! here writes HTML: what is shown is rendered from the tokens.

mod builder;
mod html;
mod label;
mod markdown;

use crate::token::Token;
use builder::Builder;
pub(crate) use builder::Names;
pub(crate) use html::KEPT;
use html::Marks;

/// Reads HTML.
pub(crate) fn read_html(html: &str, names: Names) -> Vec<Token> {
    let mut builder = Builder::new(names);
    html::read(html, Marks::Ignored, &mut builder);
    builder.finish()
}

/// Reads HTML that was translated: in the place of what [`crate::Sheltered`] took out stands its
/// mark.
pub(crate) fn read_html_with_kept(html: &str) -> Vec<Token> {
    let mut builder = Builder::new(Names::Left);
    html::read(html, Marks::Read, &mut builder);
    builder.finish()
}

/// Reads Markdown, with the names in it.
pub(crate) fn read_markdown(text: &str) -> Vec<Token> {
    read_html(&markdown::to_html(text), Names::Recognised)
}
