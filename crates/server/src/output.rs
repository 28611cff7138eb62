//! What the program says: to standard output what was asked for, to standard error what went
//! wrong. Both may be closed; a reader that has left is no fault of ours.

use std::io::{ErrorKind, Write};

use anyhow::Result;
use serde::Serialize;
use serde_json::Value;

/// Writes a line to standard output.
pub fn say(line: &str) -> Result<()> {
    match writeln!(std::io::stdout(), "{line}") {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => Ok(done?),
    }
}

/// Writes a value to standard output as one line of JSON.
pub fn say_json(value: &impl Serialize) -> Result<()> {
    say(&serde_json::to_string(value)?)
}

/// The output of a command that lists something: lines or, if JSON is asked for, one array.
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
            return say(line);
        }
        let before = if std::mem::take(&mut self.is_first) { "[" } else { "," };
        say(&format!("{before}{value}"))
    }

    /// Ends the output.
    pub fn end(self) -> Result<()> {
        match (self.json, self.is_first) {
            (false, _) => Ok(()),
            (true, true) => say("[]"),
            (true, false) => say("]"),
        }
    }
}

/// Writes a line to standard error.
pub fn complain(line: &str) {
    // Where standard error is closed nobody listens.
    drop(writeln!(std::io::stderr(), "{line}"));
}
