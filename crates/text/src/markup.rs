//! Texts that have marks: Markdown and HTML, read into the tokens that plain text is read into.
//!
//! Markdown becomes HTML first, so that there is one reader, and one rule of what is kept. That
//! reader ([`html`]) understands tags, [`builder`] keeps elements in proper order, and nothing
//! here writes HTML: what is shown is rendered from the tokens.

mod builder;
mod html;
mod markdown;

use crate::token::Token;
use builder::Builder;
pub(crate) use builder::Names;

/// Reads HTML.
pub(crate) fn read_html(html: &str, names: Names) -> Vec<Token> {
    let mut builder = Builder::new(names);
    html::read(html, &mut builder);
    builder.finish()
}

/// Reads Markdown, with the names in it.
pub(crate) fn read_markdown(text: &str) -> Vec<Token> {
    read_html(&markdown::to_html(text), Names::Recognised)
}
