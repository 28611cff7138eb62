//! Sanitiser for foreign HTML.

use crate::{
    handle::Handle,
    hashtag::Hashtag,
    markup::{Names, read_html},
    render::{Links, MentionLink, render},
};

/// Sanitises HTML from any source. The result has only the elements, attributes, classes and link
/// schemes of [`crate::Element`], and is well-formed. Names in it stay unchanged, because the
/// origin has already linked them.
///
/// The function is idempotent.
///
/// ```
/// let html = "<h1>Hi</h1><img src=x onerror=alert(1)><a href='javascript:x'>you</a><script>x";
/// assert_eq!(siskin_text::sanitise(html), "<p><strong>Hi</strong></p><p>you</p>");
/// ```
pub fn sanitise(html: &str) -> String {
    render(&read_html(html, Names::AsText), &Nowhere)
}

/// [`Links`] for texts in which no names are recognised.
pub(crate) struct Nowhere;

impl Links for Nowhere {
    fn mention(&self, _: &Handle) -> Option<MentionLink> {
        None
    }

    fn hashtag(&self, _: &Hashtag) -> String {
        String::new()
    }
}
