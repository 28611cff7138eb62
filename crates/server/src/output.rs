//! Output of commands: results on standard output, errors on standard error. Both may be closed; a
//! reader that has closed the pipe is not an error.

use std::io::{ErrorKind, Write};

use anyhow::Result;
use serde::Serialize;
use serde_json::Value;

/// Writes a line to standard output.
pub fn print_line(line: &str) -> Result<()> {
    match writeln!(std::io::stdout(), "{line}") {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => Ok(done?),
    }
}

/// Writes a value to standard output as one line of JSON.
pub fn print_json(value: &impl Serialize) -> Result<()> {
    print_line(&serde_json::to_string(value)?)
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
        print_line(&format!("{before}{value}"))
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
    drop(writeln!(std::io::stderr(), "{line}"));
}
