//! `make layers`: checks the dependencies between crates. It fails if a crate uses another crate
//! that the layer plan does not allow, or a foreign crate outside of its layer. It checks declared
//! dependencies and names in sources. Reviewers must check that code is in the right crate.

use std::{
    env,
    io::{self, Write},
    process::{Command, ExitCode},
};

use anyhow::{Context, Result, ensure};

use crate::metadata::Metadata;

mod dependency_rules;
mod floors;
mod metadata;
mod sources;
mod tokenizer;

fn main() -> Result<ExitCode> {
    let metadata = workspace()?;
    let mut violations = dependency_rules::violations(&metadata);
    for package in metadata.ours() {
        violations.extend(sources::violations(package)?);
    }
    report(&metadata, &violations)?;
    Ok(if violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the graph of the workspace in the working directory for the platform of this machine.
/// Other platforms are omitted, because they would need downloads of crates that are never compiled
/// here.
fn workspace() -> Result<Metadata> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--filter-platform", &host()?])
        .output()
        .context("cannot start cargo")?;
    ensure!(
        output.status.success(),
        "cargo metadata failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).context("cargo metadata gave an unknown format")
}

fn host() -> Result<String> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output().context("cannot start rustc")?;
    let version = String::from_utf8(output.stdout)?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc printed no host")?.to_owned())
}

fn report(metadata: &Metadata, violations: &[String]) -> io::Result<()> {
    let mut out = io::stderr().lock();
    for violation in violations {
        writeln!(out, "layers: {violation}")?;
    }
    let crates = metadata.workspace_members.len();
    writeln!(out, "layers: {crates} crates, violations: {}", violations.len())
}
