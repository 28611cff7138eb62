//! Brings a database to the schema of this program, one process at a time.

use diesel::{RunQueryDsl, sql_query};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use crate::{Conn, Error, Result, conn::OnEngine};

const POSTGRES: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");
const SQLITE: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");

/// Names the lock under which PostgreSQL servers migrate; any number that nobody else uses.
const ADVISORY_LOCK: i64 = 0x5153_4b49_4e00_0001;

/// Runs what is pending and returns the names of what ran, in order. Two processes that start
/// together wait for each other.
///
/// # Errors
/// [`Error::Migration`] where a migration fails: on PostgreSQL those before it stay, on `SQLite`
/// nothing is changed.
pub fn run(conn: &mut Conn) -> Result<Vec<String>> {
    match conn.on_engine() {
        OnEngine::Postgres(pg) => {
            sql_query("SELECT pg_advisory_lock($1)")
                .bind::<diesel::sql_types::BigInt, _>(ADVISORY_LOCK)
                .execute(pg)?;
            let ran = run_pending(pg, POSTGRES);
            sql_query("SELECT pg_advisory_unlock($1)")
                .bind::<diesel::sql_types::BigInt, _>(ADVISORY_LOCK)
                .execute(pg)?;
            ran
        }
        OnEngine::Sqlite(sqlite) => {
            if !sqlite.has_pending_migration(SQLITE).map_err(migration_error)? {
                return Ok(Vec::new());
            }
            // Asked again inside, under the write lock.
            sqlite.immediate_transaction(|sqlite| run_pending(sqlite, SQLITE))
        }
    }
}

/// The names of the migrations that `run` would run.
///
/// # Errors
/// [`Error::Migration`] where the table of migrations cannot be read.
pub fn pending(conn: &mut Conn) -> Result<Vec<String>> {
    match conn.on_engine() {
        OnEngine::Postgres(pg) => names(pg.pending_migrations(POSTGRES)),
        OnEngine::Sqlite(sqlite) => names(sqlite.pending_migrations(SQLITE)),
    }
}

/// The name of the last migration that this program knows: it names the schema.
///
/// # Errors
/// [`Error::Migration`] where the program was built without one.
pub fn latest() -> Result<String> {
    use diesel::migration::MigrationSource;
    let known = MigrationSource::<diesel::sqlite::Sqlite>::migrations(&SQLITE);
    let names = names(known)?;
    names.into_iter().max().ok_or_else(|| Error::Migration("there is none".to_owned()))
}

fn run_pending<DB: diesel::backend::Backend>(
    conn: &mut impl MigrationHarness<DB>,
    migrations: EmbeddedMigrations,
) -> Result<Vec<String>> {
    let ran = conn.run_pending_migrations(migrations).map_err(migration_error)?;
    Ok(ran.iter().map(ToString::to_string).collect())
}

fn names<DB: diesel::backend::Backend>(
    found: diesel::migration::Result<Vec<Box<dyn diesel::migration::Migration<DB>>>>,
) -> Result<Vec<String>> {
    let found = found.map_err(migration_error)?;
    Ok(found.iter().map(|migration| migration.name().version().to_string()).collect())
}

#[expect(clippy::needless_pass_by_value, reason = "the shape of map_err")]
fn migration_error(error: Box<dyn std::error::Error + Send + Sync>) -> Error {
    Error::Migration(error.to_string())
}
