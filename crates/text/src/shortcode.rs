//! Shortcodes of custom emojis: `:blobcat:`.

use std::ops::Range;

/// Maximum length of a shortcode.
pub const MAX_SHORTCODE_LENGTH: usize = 128;

/// Returns `true` if `name` (without colons) is a valid shortcode: at least two ASCII letters,
/// digits and underscores.
#[must_use]
pub fn valid_shortcode(name: &str) -> bool {
    (2..=MAX_SHORTCODE_LENGTH).contains(&name.len()) && name.bytes().all(is_name_byte)
}

/// Returns the possible shortcodes in a text, with duplicates. A colon next to a letter, a digit or
/// another colon does not delimit a shortcode, as in `12:34:56`.
#[must_use]
pub fn shortcodes(text: &str) -> Vec<&str> {
    name_ranges(text).into_iter().map(|place| &text[place]).collect()
}

/// Replaces the shortcodes in the text of HTML. `picture` returns the HTML for a shortcode, or
/// `None` to keep it as typed. Tags stay unchanged.
///
/// Made for HTML of this crate, where every `<` begins a tag and every `>` ends one.
pub fn replace_shortcodes(html: &str, picture: impl Fn(&str) -> Option<String>) -> String {
    let mut shown = String::with_capacity(html.len());
    let mut rest = html;
    while !rest.is_empty() {
        let (text, after) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
        push_replaced(&mut shown, text, &picture);
        let (tag, after) = after.split_at(after.find('>').map_or(after.len(), |end| end + 1));
        shown.push_str(tag);
        rest = after;
    }
    shown
}

fn push_replaced(shown: &mut String, text: &str, picture: &impl Fn(&str) -> Option<String>) {
    let mut from = 0;
    for name in name_ranges(text) {
        if let Some(html) = picture(&text[name.clone()]) {
            // Skip the colon on either side.
            shown.push_str(&text[from..name.start - 1]);
            shown.push_str(&html);
            from = name.end + 1;
        }
    }
    shown.push_str(&text[from..]);
}

/// Returns the ranges of the shortcodes, without their colons.
fn name_ranges(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find(':').map(|offset| from + offset) {
        let rest = &text[start + 1..];
        let length = rest.bytes().take_while(|byte| is_name_byte(*byte)).count();
        let is_closed = rest[length..].starts_with(':');
        let (name, after) = (&rest[..length], rest[length..].get(1..).unwrap_or_default());
        let stands_alone =
            !text[..start].ends_with(belongs_to_word) && !after.starts_with(belongs_to_word);
        if is_closed && stands_alone && valid_shortcode(name) {
            found.push(start + 1..start + 1 + length);
            from = start + 1 + length + 1;
        } else {
            // The closing colon may open the next shortcode.
            from = start + 1 + length;
        }
    }
    found
}

const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn belongs_to_word(character: char) -> bool {
    character == ':' || character.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn shortcodes_need_colons_and_word_boundaries() {
        for (text, names) in [
            (":blobcat:", &["blobcat"][..]),
            ("Hi :blob_cat: and\n:B2: (:c3:)!", &["blob_cat", "B2", "c3"]),
            (":aa: :aa:", &["aa", "aa"]),
            ("🐦:aa:🐦", &["aa"]),
            ("at 12:34:56", &[]),
            ("x:aa:", &[]),
            (":aa:x", &[]),
            ("é:aa: :bb:é", &[]),
            (":aa::bb:", &[]),
            (":a:", &[]),
            (":a-b:", &[]),
            (":: :aa", &[]),
            ("key: :aa:", &["aa"]),
            ("", &[]),
        ] {
            assert_eq!(shortcodes(text), names, "{text:?}");
        }
        let long = "x".repeat(MAX_SHORTCODE_LENGTH);
        assert_eq!(shortcodes(&format!(":{long}:")), [&*long]);
        assert!(shortcodes(&format!(":{long}x:")).is_empty());
    }

    #[test]
    fn only_shortcodes_in_text_nodes_are_replaced() {
        let shown = |html: &str| {
            replace_shortcodes(html, |name| {
                (name != "dog").then(|| format!("<img alt=\"{name}\">"))
            })
        };
        for (html, wanted) in [
            (
                "<p>:cat: and&#39;:cat:<br />:dog:</p>",
                "<p><img alt=\"cat\"> and&#39;<img alt=\"cat\"><br />:dog:</p>",
            ),
            (
                "<a href=\"https://x.example/:cat:\">:cat:</a>",
                "<a href=\"https://x.example/:cat:\"><img alt=\"cat\"></a>",
            ),
            ("x:cat: 12:cat:30 :cat", "x:cat: 12:cat:30 :cat"),
            ("", ""),
            ("<b", "<b"),
        ] {
            assert_eq!(shown(html), wanted);
        }
    }

    proptest! {
        #[test]
        fn html_without_emojis_is_unchanged(html in "[:a_é<> \n]{0,40}") {
            prop_assert_eq!(replace_shortcodes(&html, |_| None), html);
        }

        #[test]
        fn found_shortcodes_are_valid_and_occur_in_the_text(text in "[:a_é \n]{0,40}") {
            for name in shortcodes(&text) {
                prop_assert!(valid_shortcode(name));
                let typed = format!(":{name}:");
                prop_assert!(text.contains(&typed));
            }
        }

        #[test]
        fn any_text_is_scanned_without_panic(text: String) {
            drop(shortcodes(&text));
        }
    }
}
