//! HTML from elsewhere, reduced to what clients show.

use crate::{
    handle::Handle,
    hashtag::Hashtag,
    markup::{Names, read_html},
    render::{Links, MentionLink, render},
};

/// The part of `html` that clients show: the elements, attributes, classes and schemes of links
/// that [`crate::Element`] has, in proper order. It may come from anywhere. Names in it stay as
/// they are: whoever wrote it has linked them.
///
/// Cleaning twice changes nothing more.
///
/// ```
/// let html = "<h1>Hi</h1><img src=x onerror=alert(1)><a href='javascript:x'>you</a><script>x";
/// assert_eq!(siskin_text::sanitise(html), "<p><strong>Hi</strong></p><p>you</p>");
/// ```
pub fn sanitise(html: &str) -> String {
    render(&read_html(html, Names::Left), &Nowhere)
}

/// For texts in which no names are recognised.
pub(crate) struct Nowhere;

impl Links for Nowhere {
    fn mention(&self, _: &Handle) -> Option<MentionLink> {
        None
    }

    fn hashtag(&self, _: &Hashtag) -> String {
        String::new()
    }
}
