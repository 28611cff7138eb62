//! The sanitiser of everything that servers send as HTML.

use siskin_text::Classes;

/// Sanitises the HTML of another server. All HTML of documents goes through this function. Classes
/// stay by which its server marks mentions, hashtags and the shown part of links.
pub(super) fn sanitise(html: &str) -> String {
    siskin_text::sanitise(html, Classes::Kept)
}
