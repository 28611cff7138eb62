//! Bidirectional isolation of names in plain text.

/// First Strong Isolate and Pop Directional Isolate (UAX #9).
const ISOLATE: char = '\u{2068}';
const END: char = '\u{2069}';

/// Prepares a name for use in plain text: a page title, a mail or a notification message.
///
/// A name with characters that change the text direction is wrapped in an isolate. Everything that
/// the name opens ends with it, and the name cannot end anything that was opened before. Other
/// names are returned unchanged.
///
/// ```
/// use siskin_text::isolate;
///
/// assert_eq!(isolate("Alice"), "Alice");
/// assert_eq!(isolate("\u{202E}ecilA"), "\u{2068}\u{202E}ecilA\u{202C}\u{2069}");
/// ```
pub fn isolate(name: &str) -> String {
    if !name.contains(is_control) {
        return name.to_owned();
    }
    let mut isolated = String::from(ISOLATE);
    let mut open = Vec::new();
    for c in name.chars() {
        match c {
            '\u{202A}' | '\u{202B}' | '\u{202D}' | '\u{202E}' => open.push('\u{202C}'),
            '\u{2066}'..='\u{2068}' => open.push(END),
            '\u{202C}' | END if open.last() == Some(&c) => drop(open.pop()),
            // It closes nothing that the name opened.
            '\u{202C}' | END => continue,
            _ => {}
        }
        isolated.push(c);
    }
    isolated.extend(open.iter().rev());
    isolated.push(END);
    isolated
}

/// Returns `true` for embeddings, overrides, isolates and the characters that end them.
pub(crate) const fn is_control(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_without_controls_stay_as_they_are() {
        for name in ["", "Alice", "أليس", "a\u{200F}b", "👩\u{200D}🚀"] {
            assert_eq!(isolate(name), name);
        }
    }

    #[test]
    fn a_name_cannot_leave_its_isolate() {
        assert_eq!(isolate("a\u{2069}\u{202E}b"), "\u{2068}a\u{202E}b\u{202C}\u{2069}");
        assert_eq!(isolate("\u{2067}a\u{2069}b"), "\u{2068}\u{2067}a\u{2069}b\u{2069}");
    }

    proptest! {
        #[test]
        fn every_opened_control_is_closed_in_order(name in "[a\u{202A}-\u{202E}\u{2066}-\u{2069}]{0,12}") {
            let mut open = Vec::new();
            for c in isolate(&name).chars() {
                match c {
                    '\u{202A}' | '\u{202B}' | '\u{202D}' | '\u{202E}' => open.push('\u{202C}'),
                    '\u{2066}'..='\u{2068}' => open.push('\u{2069}'),
                    '\u{202C}' | '\u{2069}' => prop_assert_eq!(open.pop(), Some(c)),
                    _ => {}
                }
            }
            prop_assert!(open.is_empty());
        }
    }
}
