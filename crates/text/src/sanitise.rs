//! Sanitiser for foreign HTML.

use crate::{
    handle::Handle,
    hashtag::Hashtag,
    markup::{Names, read_html},
    render::{Links, MentionLink, render},
};

/// Which classes of foreign HTML stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Classes {
    /// None, for HTML of unknown origin. The class of a mention would make any link look like one.
    Dropped,
    /// Those by which servers of the network mark the parts of a text, for the HTML of another
    /// server: microformats (`h-`, `p-`, `u-`, `dt-`, `e-`), `mention`, `hashtag`, `ellipsis`,
    /// `invisible` and `quote-inline`. Elements `span` stay for them.
    Kept,
}

/// Sanitises HTML from any source. The result has only the elements, attributes, classes and link
/// schemes of [`crate::Element`], and is well-formed. Names in it stay unchanged, because the
/// origin has already linked them.
///
/// A link with a label that looks like the address of another host gets its real host behind the
/// label. All links get `rel="nofollow noopener"`.
///
/// The function is idempotent.
///
/// ```
/// use siskin_text::{Classes, sanitise};
///
/// let html = "<h1>Hi</h1><img src=x onerror=alert(1)><a href='javascript:x'>you</a><script>x";
/// assert_eq!(sanitise(html, Classes::Dropped), "<p><strong>Hi</strong></p><p>you</p>");
///
/// let html = "<p>Hi <a class='mention x' href='https://far.example/@eve'>@<span>eve</span></a>";
/// let link = r#"<a href="https://far.example/@eve" class="mention" rel="nofollow noopener">"#;
/// let expected = format!("<p>Hi {link}@<span>eve</span></a></p>");
/// assert_eq!(sanitise(html, Classes::Kept), expected);
/// ```
pub fn sanitise(html: &str, classes: Classes) -> String {
    render(&read_html(html, Names::AsText, classes), &Nowhere)
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
