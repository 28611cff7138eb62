//! Words (names and keywords) of Rust source code, without comments, strings and character
//! literals. The scanner knows only the grammar that is needed to recognise these.

/// Returns the words of `source` in order, each with its line number (from 1).
pub fn tokens(source: &str) -> impl Iterator<Item = (usize, &str)> {
    Tokens { rest: source, line: 1 }
}

struct Tokens<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(first) = self.rest.chars().next() {
            if is_identifier_char(first) {
                let line = self.line;
                let token = self.take(identifier_length(self.rest));
                match raw_string_length(token, self.rest) {
                    Some(length) => self.take(length),
                    None => return Some((line, token)),
                };
            } else {
                self.take(gap_length(self.rest));
            }
        }
        None
    }
}

impl<'a> Tokens<'a> {
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }
}

fn is_identifier_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn identifier_length(text: &str) -> usize {
    text.find(|c| !is_identifier_char(c)).unwrap_or(text.len())
}

/// Returns the length of the comment, literal or single character at the start of `text`, in bytes.
fn gap_length(text: &str) -> usize {
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return block_comment_length(text);
    }
    match text.as_bytes() {
        [b'"', ..] => quoted_length(text, '"'),
        [b'\'', b'\\', ..] => quoted_length(text, '\''),
        [b'\'', ..] => character_length(text),
        _ => text.chars().next().map_or(0, char::len_utf8),
    }
}

fn block_comment_length(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

fn quoted_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + c.len_utf8();
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

/// Returns the length of a character literal such as `'a'`, or of the mark of a lifetime such as
/// `'a`.
fn character_length(text: &str) -> usize {
    let mut chars = text.char_indices().skip(2);
    match chars.next() {
        Some((at, '\'')) => at + 1,
        _ => 1,
    }
}

/// Returns the length of the rest of a raw string that `prefix` and the start of `rest` open.
fn raw_string_length(prefix: &str, rest: &str) -> Option<usize> {
    if !matches!(prefix, "r" | "br" | "cr") {
        return None;
    }
    let hashes = rest.bytes().take_while(|b| *b == b'#').count();
    let inside = rest[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", &rest[..hashes]);
    let length = inside.find(&end).map_or(inside.len(), |at| at + end.len());
    Some(hashes + 1 + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens_of(source: &str) -> Vec<&str> {
        tokens(source).map(|(_, token)| token).collect()
    }

    #[test]
    fn paths_are_split_into_tokens() {
        assert_eq!(tokens_of("use a::{b_c, D2};"), ["use", "a", "b_c", "D2"]);
    }

    #[test]
    fn comments_have_no_tokens() {
        assert_eq!(tokens_of("a // b\nc /* d /* e */ f */ g /// h"), ["a", "c", "g"]);
    }

    #[test]
    fn strings_have_no_tokens() {
        assert_eq!(tokens_of(r#"a("b \" c \\") d b"e" f"#), ["a", "d", "b", "f"]);
        assert_eq!(tokens_of("a r\"b\\\" c r#\"d \" e\"# f"), ["a", "c", "f"]);
    }

    #[test]
    fn raw_identifiers_and_lifetimes_are_tokenized() {
        assert_eq!(tokens_of("r#type"), ["r", "type"]);
        assert_eq!(tokens_of("fn f<'a>(x: &'a str) -> char { '\"' }").last(), Some(&"char"));
        assert_eq!(tokens_of(r"['\'', '/', 'ä'] x"), ["x"]);
    }

    #[test]
    fn lines_are_counted_through_comments_and_strings() {
        let found: Vec<_> = tokens("a\n/*\n*/ b \"\n\" c").collect();
        assert_eq!(found, [(1, "a"), (3, "b"), (4, "c")]);
    }

    #[test]
    fn unfinished_input_ends() {
        for source in ["\"a", "/* a", "r#\"a", "'", "'\\", "r#"] {
            assert!(tokens(source).count() <= 1, "{source}");
        }
    }
}
