//! Databases with the schema in place, migrated once and copied for each test.

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

/// A migrated `SQLite` file, made once for each build of the test program and kept beside it:
/// some runners start the program anew for every test.
fn sqlite() -> Result<&'static Path> {
    static TEMPLATE: OnceLock<PathBuf> = OnceLock::new();
    if let Some(file) = TEMPLATE.get() {
        return Ok(file);
    }
    let program = env::current_exe()?;
    let file = program.with_extension("sqlite3");
    if !is_newer(&file, &program)? {
        make_sqlite(&file)?;
    }
    Ok(TEMPLATE.get_or_init(|| file))
}

fn is_newer(file: &Path, program: &Path) -> Result<bool> {
    let Ok(made) = fs::metadata(file) else { return Ok(false) };
    Ok(made.modified()? > fs::metadata(program)?.modified()?)
}

/// Complete before it has its name, as other threads and processes may be making it too.
fn make_sqlite(file: &Path) -> Result<()> {
    let folder = TempDir::new_in(file.parent().context("a program lies in a folder")?)?;
    let draft = folder.path().join("template.sqlite3");
    // Closing the last connection moves the write-ahead log into the file.
    migrate(&format!("sqlite://{}", draft.display()))?;
    fs::rename(&draft, file).context("cannot put the template database in place")
}

/// The name of a migrated database on the PostgreSQL server, made once for each build of the
/// test program: several builds may share a server.
pub fn postgres() -> Result<String> {
    static TEMPLATE: OnceLock<String> = OnceLock::new();
    static MAKING: Mutex<()> = Mutex::new(());
    let _turn = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
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
