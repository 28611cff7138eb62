//! Classes by which servers of the network mark the parts of a text.

/// Class of the paragraph above the text of a quote.
const QUOTE: &str = "quote-inline";
/// Prefixes of microformats, such as `h-card` and `u-url`.
const MICROFORMATS: [&str; 5] = ["h-", "p-", "u-", "dt-", "e-"];
/// Maximum number of classes of an element.
const MAX_CLASSES: usize = 8;
/// Maximum length of a class, in bytes.
const MAX_LENGTH: usize = 32;

/// Returns the classes that an element `a` or `span` keeps, with blanks between them. A link is
/// never hidden or shortened as a whole.
pub(super) fn kept_classes(element: &str, classes: &str) -> String {
    let is_kept = |class: &&str| match *class {
        "mention" | "hashtag" => true,
        "ellipsis" | "invisible" | QUOTE => element == "span",
        class => is_microformat(class),
    };
    let kept: Vec<&str> =
        classes.split_ascii_whitespace().filter(is_kept).take(MAX_CLASSES).collect();
    kept.join(" ")
}

/// Returns `true` if a paragraph is the one above the text of a quote.
pub(super) fn has_quote_class(classes: &str) -> bool {
    classes.split_ascii_whitespace().any(|class| class == QUOTE)
}

fn is_microformat(class: &str) -> bool {
    let name = MICROFORMATS.iter().find_map(|prefix| class.strip_prefix(prefix));
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'0'..=b'9' | b'-'))
    };
    class.len() <= MAX_LENGTH && name.is_some_and(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_classes_of_the_network_stay() {
        for (element, classes, kept) in [
            ("span", "h-card", "h-card"),
            ("a", "u-url  mention\tevil\nhashtag", "u-url mention hashtag"),
            ("span", "invisible ellipsis quote-inline", "invisible ellipsis quote-inline"),
            ("a", "invisible ellipsis quote-inline", ""),
            ("span", "p-name dt-start e-content u-photo-2", "p-name dt-start e-content u-photo-2"),
            ("span", "h- H-card h-Card h-ä h-a\"b u_url x-h-card hidden modal", ""),
            ("span", "Mention mentions status__content", ""),
            ("span", "", ""),
        ] {
            assert_eq!(kept_classes(element, classes), kept, "{classes}");
        }
        assert_eq!(kept_classes("span", &format!("p-{}", "a".repeat(31))), "");
        assert_eq!(kept_classes("span", &"p-a ".repeat(100)).split(' ').count(), MAX_CLASSES);
    }
}
