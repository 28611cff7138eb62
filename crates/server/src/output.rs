//! Output of commands: results on standard output, errors on standard error. Both may be closed; a
//! reader that has closed the pipe is not an error.
//!
//! Much of what commands print was written by others. It must not control the terminal.

use std::{
    fmt::Write as _,
    io::{ErrorKind, IsTerminal as _, Write as _},
};

use anyhow::Result;
use serde::Serialize;
use serde_json::Value;

/// Writes a line, or several, to standard output. Leaves out what could control a terminal.
pub fn print_line(line: &str) -> Result<()> {
    write_line(&plain(line))
}

/// Writes a text that the reader may want to store again. It is complete, unless a terminal shows it.
pub fn print_text(text: &str) -> Result<()> {
    if std::io::stdout().is_terminal() { print_line(text) } else { write_line(text) }
}

/// Returns a text without the characters that could control a terminal, or change the order in which
/// it shows the others. Line breaks and tabs stay.
fn plain(text: &str) -> String {
    text.chars().filter(|c| matches!(c, '\n' | '\t') || !is_control(*c)).collect()
}

/// Returns `true` for control characters, for the separators of lines and paragraphs, and for
/// everything that changes the text direction.
fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61C}' | '\u{200E}' | '\u{200F}'
            | '\u{2028}'..='\u{202E}'
            | '\u{2066}'..='\u{2069}')
}

/// Returns JSON with escapes in place of the characters that could control a terminal. They occur in
/// its strings only.
fn escaped(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if is_control(c) {
            // All of them have four hexadecimal digits.
            let _ = write!(escaped, "\\u{:04x}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

fn write_line(line: &str) -> Result<()> {
    match writeln!(std::io::stdout(), "{line}") {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => Ok(done?),
    }
}

/// Writes a value to standard output as one line of JSON.
pub fn print_json(value: &impl Serialize) -> Result<()> {
    write_line(&escaped(&serde_json::to_string(value)?))
}

/// The output of a command that lists entries: lines or, with `--json`, one array.
#[derive(Debug)]
pub struct Listing {
    json: bool,
    is_first: bool,
}

impl Listing {
    /// Begins the output.
    pub const fn new(json: bool) -> Self {
        Self { json, is_first: true }
    }

    /// Writes an entry, as a line or as a value.
    pub fn entry(&mut self, line: &str, value: &Value) -> Result<()> {
        if !self.json {
            return print_line(line);
        }
        let before = if std::mem::take(&mut self.is_first) { "[" } else { "," };
        write_line(&escaped(&format!("{before}{value}")))
    }

    /// Ends the output.
    pub fn end(self) -> Result<()> {
        match (self.json, self.is_first) {
            (false, _) => Ok(()),
            (true, true) => print_line("[]"),
            (true, false) => print_line("]"),
        }
    }
}

/// Writes a line to standard error.
pub fn print_error(line: &str) {
    // If standard error is closed, the message is lost.
    drop(writeln!(std::io::stderr(), "{}", plain(line)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_controls_the_terminal() {
        let text = "a\u{1b}[2J\u{7}\u{9b}\r\0b\u{202e}c\u{2066}\u{200f}\u{2028}\n\td é👩\u{200d}🚀";
        assert_eq!(plain(text), "a[2Jbc\n\td é👩\u{200d}🚀");
        let json = escaped(&serde_json::to_string(text).unwrap());
        assert!(!json.contains(is_control), "{json:?}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
}
