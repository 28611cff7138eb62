//! Databases with the schema in place, migrated once and copied for each test.

use std::{
    env, fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
    sync::{Mutex, OnceLock, PoisonError},
};

use anyhow::{Context, Result};
use siskin_persistence::{Conn, migrations};
use tempfile::TempDir;

use crate::postgres;

/// Copies the migrated `SQLite` file to `target`.
pub fn copy_sqlite(target: &Path) -> Result<()> {
    let template = sqlite_template()?;
    fs::write(target, template).context("cannot copy the template database")
}

/// The bytes of a migrated `SQLite` file, made once for each test process.
fn sqlite_template() -> Result<&'static [u8]> {
    static TEMPLATE: OnceLock<Vec<u8>> = OnceLock::new();
    static MAKING: Mutex<()> = Mutex::new(());
    let _turn = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(template) = TEMPLATE.get() {
        return Ok(template);
    }
    let folder = TempDir::new()?;
    let file = folder.path().join("template.sqlite3");
    // Closing the last connection moves the write-ahead log into the file.
    migrate(&format!("sqlite://{}", file.display()))?;
    let template = fs::read(&file)?;
    Ok(TEMPLATE.get_or_init(|| template))
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
