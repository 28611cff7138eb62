//! Databases with the schema, migrated once and copied for each test.

use std::{
    env, fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, PoisonError},
};

use anyhow::{Context, Result};
use siskin_persistence::{Conn, migrations};
use tempfile::TempDir;

use crate::postgres;

/// Copies the migrated `SQLite` file to `target`.
pub fn copy_sqlite(target: &Path) -> Result<()> {
    fs::copy(sqlite()?, target).context("cannot copy the template database")?;
    Ok(())
}

/// Returns a migrated `SQLite` file. It is created once per build of the test program and stored
/// beside it, because some test runners start a new process for every test.
fn sqlite() -> Result<&'static Path> {
    static TEMPLATE: OnceLock<PathBuf> = OnceLock::new();
    if let Some(file) = TEMPLATE.get() {
        return Ok(file);
    }
    let program = env::current_exe()?;
    let file = program.with_extension("sqlite3");
    if !is_newer(&file, &program)? {
        create_sqlite(&file)?;
    }
    Ok(TEMPLATE.get_or_init(|| file))
}

fn is_newer(file: &Path, program: &Path) -> Result<bool> {
    let Ok(metadata) = fs::metadata(file) else { return Ok(false) };
    Ok(metadata.modified()? > fs::metadata(program)?.modified()?)
}

/// Creates the file under a temporary name first, because other threads and processes may do the
/// same.
fn create_sqlite(file: &Path) -> Result<()> {
    let folder = TempDir::new_in(file.parent().context("a program file has a parent folder")?)?;
    let draft = folder.path().join("template.sqlite3");
    // Closing the last connection merges the write-ahead log into the file.
    migrate(&format!("sqlite://{}", draft.display()))?;
    fs::rename(&draft, file).context("cannot move the template database into place")
}

/// Returns the name of a migrated database on the PostgreSQL server. It is created once per build
/// of the test program, because several builds may share a server.
pub fn postgres() -> Result<String> {
    static TEMPLATE: OnceLock<String> = OnceLock::new();
    static CREATING: Mutex<()> = Mutex::new(());
    let _guard = CREATING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(name) = TEMPLATE.get() {
        return Ok(name.clone());
    }
    let name = format!("template_{:016x}", this_build()?);
    postgres::create_template(&name, migrate)?;
    Ok(TEMPLATE.get_or_init(|| name).clone())
}

fn migrate(url: &str) -> Result<()> {
    migrations::run(&mut Conn::open(url)?)?;
    Ok(())
}

fn this_build() -> Result<u64> {
    let program = env::current_exe()?;
    let metadata = fs::metadata(&program)?;
    let mut hasher = DefaultHasher::new();
    (program, metadata.len(), metadata.modified()?).hash(&mut hasher);
    Ok(hasher.finish())
}
