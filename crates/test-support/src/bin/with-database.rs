//! `with-database sqlite|postgres COMMAND…` runs a command with `SISKIN_DATABASE_URL` set to a
//! fresh database without tables, and deletes the database afterwards. It serves scripts that start
//! the server themselves. It does nothing if the engine is missing.

use std::{
    env,
    ffi::OsStr,
    process::{Command, ExitCode},
};

use anyhow::{Context, Result, bail};
use siskin_test_support::{Engine, TestDatabase};

const USAGE: &str = "usage: with-database sqlite|postgres COMMAND [ARGUMENT…]";

fn main() -> Result<ExitCode> {
    let mut arguments = env::args_os().skip(1);
    let engine = engine(arguments.next().as_deref())?;
    let program = arguments.next().context(USAGE)?;
    if !engine.is_available() {
        return Ok(ExitCode::SUCCESS);
    }
    let database = TestDatabase::empty(engine);
    let status = Command::new(&program)
        .args(arguments)
        .env("SISKIN_DATABASE_URL", database.url())
        .status()
        .with_context(|| format!("cannot start {}", program.display()))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn engine(word: Option<&OsStr>) -> Result<Engine> {
    match word.and_then(OsStr::to_str) {
        Some("sqlite") => Ok(Engine::Sqlite),
        Some("postgres") => Ok(Engine::Postgres),
        _ => bail!(USAGE),
    }
}
