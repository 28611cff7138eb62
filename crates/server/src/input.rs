//! Input of commands from standard input: passwords and confirmations.

use std::io::{IsTerminal, stdin};

use anyhow::{Result, ensure};

use crate::output::print_error;

/// Reads a password: the first line, without its end. This keeps it out of the process list and the
/// history of the shell.
///
/// # Errors
/// If there is none.
pub fn password() -> Result<String> {
    let password = line()?;
    ensure!(!password.is_empty(), "standard input contains no password");
    Ok(password)
}

/// Asks the operator to confirm a permanent deletion by typing its name.
///
/// # Errors
/// The answer differs, or standard input is not a terminal.
pub fn require_consent(what: &str, name: &str) -> Result<()> {
    ensure!(stdin().is_terminal(), "{what}: pass --yes to confirm");
    print_error(&format!("{what}. Type {name} to confirm:"));
    ensure!(line()? == name, "the confirmation does not match, nothing was removed");
    Ok(())
}

fn line() -> Result<String> {
    let mut line = String::new();
    stdin().read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
