//! What the program says: to standard output what was asked for, to standard error what went
//! wrong. Both may be closed; a reader that has left is no fault of ours.

use std::io::{ErrorKind, Write};

use anyhow::Result;
use serde::Serialize;

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

/// Writes a line to standard error.
pub fn complain(line: &str) {
    // Where standard error is closed nobody listens.
    drop(writeln!(std::io::stderr(), "{line}"));
}
