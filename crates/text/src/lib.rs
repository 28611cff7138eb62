//! Understanding of user-written text: statuses, profile texts, handles and hashtags.
//!
//! [`parse_as`] splits a text of any [`ContentType`] into [`Token`]s, [`parse()`] a plain text.
//! [`render()`] writes the HTML of tokens for clients, and `render_document` that of a document.
//! [`mentions`] and [`hashtags`] list the names in them, and [`language::detect`] guesses their
//! language. `sanitise` cleans foreign HTML. [`count()`] returns the length of a text as clients
//! count it. [`Hashtag`], [`Handle`] and [`username_key`] define how names are compared.
//!
//! The crate is pure and knows no accounts, no database and no HTTP. The caller resolves mentions
//! and link targets through [`Links`]. The crate is made for untrusted text: every function takes
//! time linear in its input and none panics.
//!
//! ```
//! use siskin_text::{Handle, Hashtag, Links, MentionLink, count, parse, render};
//!
//! struct Town;
//!
//! impl Links for Town {
//!     fn mention(&self, handle: &Handle) -> Option<MentionLink> {
//!         let known = handle.username == "bob" && handle.domain.is_none();
//!         known.then(|| MentionLink { url: "https://town.example/@bob".into(), shown: "bob".into() })
//!     }
//!
//!     fn hashtag(&self, hashtag: &Hashtag) -> String {
//!         format!("https://town.example/tags/{}", hashtag.name)
//!     }
//! }
//!
//! assert_eq!(count("Hi @bob", ""), 7);
//! assert_eq!(
//!     render(&parse("Hi @bob & @eve"), &Town),
//!     "<p>Hi <span class=\"h-card\"><a href=\"https://town.example/@bob\" class=\"u-url mention\">\
//!      @<span>bob</span></a></span> &amp; @eve</p>",
//! );
//! ```

#![warn(missing_docs)]

mod caseless;
mod characters;
mod content_type;
mod count;
#[cfg(feature = "markdown")]
mod document;
mod domain;
mod element;
mod emoji;
mod fold;
mod handle;
mod hashtag;
mod html_text;
mod isolate;
pub mod language;
mod limit;
#[cfg(feature = "html")]
mod markup;
mod parse;
#[cfg(feature = "html")]
mod protected_text;
mod render;
#[cfg(feature = "html")]
mod sanitise;
mod search;
mod shortcode;
mod shorten;
mod token;

pub use caseless::Caseless;
pub use characters::{is_blank, is_disturbing, is_word_character};
pub use content_type::{ContentType, UnknownContentType};
pub use count::{CHARACTERS_PER_URL, LONGEST_LINK, count, graphemes};
#[cfg(feature = "markdown")]
pub use document::render_document;
pub use domain::normalise_domain;
pub use element::Element;
pub use emoji::is_emoji;
pub use fold::fold as search_fold;
pub use handle::{Handle, MAX_USERNAME_LENGTH, UsernameError, username_key, valid_local_username};
pub use hashtag::{Hashtag, MAX_HASHTAG_LENGTH};
pub use html_text::{html_to_text, texts_of_html, without_quote_link};
pub use isolate::isolate;
pub use limit::{BYTES_PER_CHARACTER, TextLimit};
pub use parse::parse;
#[cfg(feature = "markdown")]
pub use parse::parse_as;
#[cfg(feature = "html")]
pub use protected_text::ProtectedText;
pub use render::{Links, MentionLink, escape, render, render_field, render_quote_link};
#[cfg(feature = "html")]
pub use sanitise::{Classes, sanitise};
pub use search::{
    MAX_WORD_LENGTH, SearchWord, contains_phrase, index_terms, required_terms, search_words,
    sole_term,
};
pub use shortcode::{MAX_SHORTCODE_LENGTH, replace_shortcodes, shortcodes, valid_shortcode};
pub use shorten::shorten;
pub use token::{Token, Url, hashtags, links, mentions};

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
