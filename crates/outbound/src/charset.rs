//! Detection of the encoding of a page (WHATWG Encoding, and the useful part of HTML 13.2.3).

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::html::{self, Piece, attribute};

/// Number of bytes at the start of a page that are searched for its encoding.
const PRESCANNED: usize = 1024;

/// Decodes a page that was sent with this `Content-Type`.
pub(crate) fn decode(content_type: Option<&str>, body: &[u8]) -> String {
    let encoding = content_type
        .and_then(charset_of)
        .or_else(|| declared(body))
        .unwrap_or_else(|| if is_utf8(body) { UTF_8 } else { WINDOWS_1252 });
    // The decoder gives precedence to a byte order mark.
    encoding.decode(body).0.into_owned()
}

/// Returns `true` for UTF-8. The last character may be incomplete, because a page can be cut.
fn is_utf8(body: &[u8]) -> bool {
    std::str::from_utf8(body).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// Returns the charset parameter of a media type: `text/html; charset=utf-8`.
fn charset_of(content_type: &str) -> Option<&'static Encoding> {
    let parameters = content_type.split(';').skip(1);
    let charset = parameters.filter_map(|parameter| parameter.split_once('=')).find_map(
        |(name, value)| name.trim().eq_ignore_ascii_case("charset").then_some(value.trim()),
    )?;
    Encoding::for_label(charset.trim_matches(['"', '\'']).as_bytes())
}

/// Returns the encoding that the page declares in a `meta` element.
fn declared(body: &[u8]) -> Option<&'static Encoding> {
    let head = &body[..body.len().min(PRESCANNED)];
    let mut found = None;
    html::read(&WINDOWS_1252.decode_without_bom_handling(head).0, |piece| {
        let Piece::Start(tag) = piece else { return };
        if tag.name != "meta" || found.is_some() {
            return;
        }
        found = match attribute(tag, "charset") {
            Some(label) => Encoding::for_label(label.as_bytes()),
            None => attribute(tag, "content").and_then(charset_of),
        };
    });
    // The declaration was readable as ASCII, so the page cannot be UTF-16.
    found.map(|found| if found == UTF_16LE || found == UTF_16BE { UTF_8 } else { found })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_charset_comes_from_header_then_page_then_bytes() {
        let latin = b"<meta charset=shift_jis>Gr\xfc\xdfe";
        assert!(decode(Some("text/html; Charset=\"ISO-8859-1\""), latin).ends_with("Grüße"));
        let kana = b"<meta charset='Shift_JIS'><title>\x83\x65\x83\x58\x83\x67";
        assert!(decode(Some("text/html"), kana).ends_with("テスト"));
        let old = b"<META http-equiv=Content-Type content='text/html; charset=koi8-r'>\xf0";
        assert!(decode(None, old).ends_with('П'));
        assert_eq!(decode(None, "Grüße".as_bytes()), "Grüße");
        assert_eq!(decode(None, b"Gr\xfc\xdfe"), "Grüße");
    }

    #[test]
    fn truncated_and_mislabelled_pages_are_decoded() {
        let cut = &"Grüße".as_bytes()[..3];
        assert_eq!(decode(None, cut), "Gr\u{FFFD}");
        assert_eq!(decode(Some("text/html; charset=nonsense"), "ü".as_bytes()), "ü");
        assert_eq!(decode(Some("text/html; charset=iso-8859-1"), "\u{FEFF}ü".as_bytes()), "ü");
        assert_eq!(decode(None, "<meta charset=utf-16>ü".as_bytes()), "<meta charset=utf-16>ü");
        assert_eq!(decode(None, b""), "");
    }
}
