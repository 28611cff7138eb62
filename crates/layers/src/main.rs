//! `make layers`: fails where a crate knows another that the plan of the house does not allow,
//! or where a foreign crate is used outside its place. It judges what is declared and named in
//! sources; that the code behind the names is in the right crate is for people to judge.

use std::{
    env,
    io::{self, Write},
    process::{Command, ExitCode},
};

use anyhow::{Context, Result, ensure};

use crate::metadata::Metadata;

mod arrows;
mod floors;
mod metadata;
mod rust_words;
mod sources;

fn main() -> Result<ExitCode> {
    let metadata = workspace()?;
    let mut violations = arrows::violations(&metadata);
    for package in metadata.ours() {
        violations.extend(sources::violations(package)?);
    }
    report(&metadata, &violations)?;
    Ok(if violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The graph of the workspace in the working directory, as it is built on this machine. Other platforms are left out: asking for them would
/// download crates that are never compiled here.
fn workspace() -> Result<Metadata> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--filter-platform", &host()?])
        .output()
        .context("cargo cannot be started")?;
    ensure!(
        output.status.success(),
        "cargo metadata failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).context("cargo metadata gave an unknown format")
}

fn host() -> Result<String> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output().context("rustc cannot be started")?;
    let words = String::from_utf8(output.stdout)?;
    let host = words.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not name its host")?.to_owned())
}

fn report(metadata: &Metadata, violations: &[String]) -> io::Result<()> {
    let mut out = io::stderr().lock();
    for violation in violations {
        writeln!(out, "layers: {violation}")?;
    }
    let crates = metadata.workspace_members.len();
    writeln!(out, "layers: {crates} crates, violations: {}", violations.len())
}
