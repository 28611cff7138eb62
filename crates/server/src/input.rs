//! What commands read from standard input: passwords and answers to questions.

use std::io::{IsTerminal, stdin};

use anyhow::{Result, ensure};

use crate::output::complain;

/// Reads a password: the first line, without its end. It then stands in no list of processes and in
/// no history of a shell.
///
/// # Errors
/// There is none.
pub fn password() -> Result<String> {
    let password = line()?;
    ensure!(!password.is_empty(), "standard input has no password");
    Ok(password)
}

/// Asks for the name of what is to be removed for good.
///
/// # Errors
/// The answer is another, or standard input is no terminal.
pub fn require_consent(what: &str, name: &str) -> Result<()> {
    ensure!(stdin().is_terminal(), "{what}: give --yes if that is meant");
    complain(&format!("{what}. Type {name} if that is meant:"));
    ensure!(line()? == name, "nothing is removed");
    Ok(())
}

fn line() -> Result<String> {
    let mut line = String::new();
    stdin().read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
