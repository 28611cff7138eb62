//! Names in plain text: what they turn around must not turn what follows.

/// The first strong isolate and its end (UAX #9).
const ISOLATE: char = '\u{2068}';
const END: char = '\u{2069}';

/// A name as it enters a plain text: the title of a page, a mail, a message of a notification.
///
/// A name with characters that change the direction of writing is put in an isolate of its own.
/// What it opens ends with it, and it can end nothing that was opened before. Other names are
/// returned as they are.
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
            // Ends nothing of the name.
            '\u{202C}' | END => continue,
            _ => {}
        }
        isolated.push(c);
    }
    isolated.extend(open.iter().rev());
    isolated.push(END);
    isolated
}

/// Embeddings, overrides and isolates, and what ends them.
const fn is_control(c: char) -> bool {
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
        fn everything_that_is_opened_is_ended_in_order(name in "[a\u{202A}-\u{202E}\u{2066}-\u{2069}]{0,12}") {
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
