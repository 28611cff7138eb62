//! Plain texts and languages in documents.

use siskin_text::{html_to_text, is_blank, language};

use crate::json::Members;

/// Returns a text on one line: control characters and line breaks are blanks, entities are
/// resolved, and what exceeds the limit is cut. Returns `None` if nothing of it can be seen.
pub(super) fn line(text: &str, characters: usize) -> Option<String> {
    let text = resolved(text, characters);
    let one_line: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(characters).collect();
    let line = one_line.trim();
    (!is_blank(line)).then(|| line.to_owned())
}

/// Returns a text of several lines. Control characters except for line breaks and tabs are dropped,
/// entities are resolved, and what exceeds the limit is cut. Returns `None` if nothing of it can be
/// seen.
pub(super) fn lines(text: &str, characters: usize) -> Option<String> {
    let text = resolved(text, characters);
    let is_kept = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    let kept: String = text.chars().filter(is_kept).take(characters).collect();
    let kept = kept.trim();
    (!is_blank(kept)).then(|| kept.to_owned())
}

/// Returns the beginning of a text with its entities resolved, as some servers escape names. A text
/// with `<` is left as it is: it may be no HTML.
fn resolved(text: &str, characters: usize) -> String {
    // An entity is at most ten bytes, and a character at most four.
    let end = text.floor_char_boundary(characters.saturating_mul(10));
    let text = text.get(..end).unwrap_or_default();
    if text.contains('&') && !text.contains('<') { html_to_text(text) } else { text.to_owned() }
}

/// Returns the text of a comment, which may be HTML.
pub(super) fn comment(text: &str, characters: usize) -> Option<String> {
    let text = if text.contains('<') { html_to_text(text) } else { text.to_owned() };
    lines(&text, characters)
}

/// Returns the language of an object: the key of the map of its content, the `language` of Lemmy
/// (an object) or of Pleroma (a code). It is never guessed from a default of the server.
pub(super) fn language(members: Members<'_>) -> Option<&'static str> {
    let of_map = || members.natural("content").and_then(|(_, language)| language);
    let of_lemmy = || members.object("language").and_then(|it| it.text("identifier"));
    let code = members.text("language").or_else(of_map).or_else(of_lemmy)?;
    language::normalise(code)
}
