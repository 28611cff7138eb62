//! Plain text of HTML, for search, filters and push notifications.

use crate::render::QUOTE_LINK;

/// Converts HTML to the visible text: `br` becomes a line break, paragraphs and other blocks are
/// separated by blank lines, tags are dropped, entities are resolved.
///
/// It is made for the HTML of statuses and profiles. It is not a sanitiser: the result is text and
/// must be escaped for display. The link above the text of a quote is left out, because the author
/// did not write it.
pub fn html_to_text(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = without_quote_link(html);
    while let Some(at) = rest.find(['<', '&']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = if rest.starts_with('<') {
            read_tag(rest, &mut text)
        } else {
            read_entity(rest, &mut text)
        };
        rest = &rest[taken..];
    }
    text.push_str(rest);
    text.trim().to_owned()
}

/// Returns the texts between the tags of sanitised HTML, without code: the places where custom
/// emojis can be. Entities are not resolved.
///
/// ```
/// let html = "<p>a <b>:cat:</b></p><pre><code>:not:</code></pre>";
/// assert_eq!(siskin_text::texts_of_html(html).collect::<Vec<_>>(), ["a ", ":cat:"]);
/// ```
pub fn texts_of_html(html: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    let pieces = html.split('<').enumerate().filter_map(move |(number, piece)| {
        let text = match piece.split_once('>') {
            Some((tag, text)) if number > 0 => {
                code = match tag {
                    "pre" | "code" => true,
                    "/pre" | "/code" => false,
                    _ => code,
                };
                text
            }
            _ => piece,
        };
        (!code).then_some(text)
    });
    pieces.filter(|text| !text.is_empty())
}

/// Returns the HTML without the link above the text of a quote.
pub fn without_quote_link(html: &str) -> &str {
    let below = html.strip_prefix(QUOTE_LINK).and_then(|rest| rest.split_once("</p>"));
    below.map_or(html, |(_, below)| below)
}

/// Writes the text that a tag stands for and returns the tag's length in bytes. An unclosed tag is
/// dropped with everything after it.
fn read_tag(html: &str, text: &mut String) -> usize {
    let length = html.find('>').map_or(html.len(), |at| at + 1);
    match tag_name(&html[..length]).as_str() {
        "br" => text.push('\n'),
        "/p" | "/ul" | "/ol" | "/blockquote" | "/pre" | "/h1" | "/h2" | "/h3" | "/h4" | "/h5"
        | "/h6" => text.push_str("\n\n"),
        "/li" => text.push('\n'),
        _ => {}
    }
    length
}

/// Returns the name of a tag in lower case, with the slash of a closing tag.
fn tag_name(tag: &str) -> String {
    let name = tag.trim_start_matches('<').split([' ', '\t', '\n', '>']).next().unwrap_or_default();
    let name = if name.len() > 1 { name.trim_end_matches('/') } else { name };
    name.to_ascii_lowercase()
}

/// Maximum length of an entity that is resolved, in bytes.
const MAX_ENTITY_LENGTH: usize = 10;

/// Writes the character of an entity and returns the number of bytes read. An ampersand that does
/// not start an entity is text.
fn read_entity(html: &str, text: &mut String) -> usize {
    let end = html.bytes().take(MAX_ENTITY_LENGTH).position(|b| b == b';');
    let entity = end.and_then(|end| Some((resolve(&html[1..end])?, end + 1)));
    let (c, length) = entity.unwrap_or(('&', 1));
    text.push(c);
    length
}

fn resolve(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some('\u{A0}'),
        _ => numeric(name.strip_prefix('#')?),
    }
}

fn numeric(number: &str) -> Option<char> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    code.ok().and_then(char::from_u32)
}

#[cfg(test)]
mod tests {
    use super::html_to_text;
    use crate::escape;
    use proptest::prelude::*;

    #[test]
    fn tags_are_removed_and_line_breaks_stay() {
        assert_eq!(
            html_to_text("<p>one<br />two<br>three</p><p>four</p>"),
            "one\ntwo\nthree\n\nfour"
        );
        assert_eq!(html_to_text("<ul><li>a</li><li>b</li></ul>c"), "a\nb\n\n\nc");
        assert_eq!(html_to_text(r#"<a href="x" class="y">#<span>tag</span></a>"#), "#tag");
        assert_eq!(html_to_text("plain"), "plain");
    }

    #[test]
    fn the_link_above_a_quote_is_left_out() {
        let link = crate::render_quote_link("https://a.example/@b/1");
        assert_eq!(html_to_text(&format!("{link}<p>RE: this</p>")), "RE: this");
        assert_eq!(html_to_text(&link), "");
    }

    #[test]
    fn entities_are_resolved_once() {
        assert_eq!(
            html_to_text("Tom &amp; Jerry &lt;3 &quot;&#39;&#x27;&nbsp;x"),
            "Tom & Jerry <3 \"''\u{A0}x"
        );
        assert_eq!(html_to_text("&amp;lt;"), "&lt;");
        assert_eq!(html_to_text("a & b &unknown; &#xFFFFFFF; &"), "a & b &unknown; &#xFFFFFFF; &");
    }

    #[test]
    fn an_unclosed_tag_drops_the_rest() {
        assert_eq!(html_to_text("a <b"), "a");
    }

    proptest! {
        #[test]
        fn escaped_text_round_trips(text in any::<String>()) {
            let shown = text.replace('\0', "");
            prop_assert_eq!(html_to_text(&escape(&text)), shown.trim());
        }
    }
}
