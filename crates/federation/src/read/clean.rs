//! The sanitiser of everything that servers send as HTML.

/// Sanitises the HTML of another server. All HTML of documents goes through this function.
pub(super) fn sanitise(html: &str) -> String {
    siskin_text::sanitise(html)
}
