//! Brings a database to the schema of this program, one process at a time.

use diesel::{QueryableByName, RunQueryDsl, sql_query};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use crate::{Conn, Error, Result, conn::OnEngine};

const POSTGRES: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");
const SQLITE: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");

/// Advisory lock under which servers migrate on PostgreSQL; an arbitrary number that has no other
/// use.
const ADVISORY_LOCK: i64 = 0x5153_4b49_4e00_0001;

/// The table in which diesel records applied migrations.
const TABLE: &str = "__diesel_schema_migrations";

/// How the schema of a database compares with the one that this program knows. A schema is named by
/// its last migration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Schema {
    /// No migration ran yet.
    Empty,
    /// Migrations are missing.
    Older { database: String, program: String },
    /// The schemas are the same.
    Current,
    /// Migrations ran that this program does not know.
    Newer { database: String, program: String },
}

impl Schema {
    /// Checks that the schema is the one of this program.
    ///
    /// # Errors
    /// [`Error::EmptyDatabase`], [`Error::OlderSchema`] or [`Error::NewerSchema`].
    pub fn require(self) -> Result<()> {
        match self {
            Self::Current => Ok(()),
            Self::Empty => Err(Error::EmptyDatabase),
            Self::Older { database, program } => Err(Error::OlderSchema { database, program }),
            Self::Newer { .. } => self.require_not_newer(),
        }
    }

    /// Checks that this program may migrate the database.
    ///
    /// # Errors
    /// [`Error::NewerSchema`].
    pub fn require_not_newer(self) -> Result<()> {
        match self {
            Self::Newer { database, program } => Err(Error::NewerSchema { database, program }),
            _ => Ok(()),
        }
    }
}

/// Compares the schema of the database with the one of this program. Changes nothing.
///
/// # Errors
/// Storage errors.
pub fn schema(conn: &mut Conn) -> Result<Schema> {
    let (known, applied) = (known(conn.is_sqlite())?, applied(conn)?);
    let program = last(&known)?;
    let unknown = applied.iter().filter(|version| !known.contains(version)).max();
    Ok(if let Some(unknown) = unknown {
        Schema::Newer { database: unknown.clone(), program }
    } else {
        match applied.iter().max() {
            None => Schema::Empty,
            Some(_) if applied.len() == known.len() => Schema::Current,
            Some(database) => Schema::Older { database: database.clone(), program },
        }
    })
}

/// Runs the pending migrations and returns their names in order. Two processes that start together
/// wait for each other.
///
/// # Errors
/// [`Error::NewerSchema`] if the database has migrations that this program does not know; nothing
/// is changed then. [`Error::Migration`] if a migration fails: on PostgreSQL the earlier ones stay
/// applied, on `SQLite` nothing is changed.
pub fn run(conn: &mut Conn) -> Result<Vec<String>> {
    schema(conn)?.require_not_newer()?;
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
            // The check runs again inside the transaction, under the write lock.
            sqlite.immediate_transaction(|sqlite| run_pending(sqlite, SQLITE))
        }
    }
}

/// Returns the names of the migrations that `run` would run. Changes nothing.
///
/// # Errors
/// [`Error::NewerSchema`], and storage errors.
pub fn pending(conn: &mut Conn) -> Result<Vec<String>> {
    schema(conn)?.require_not_newer()?;
    let applied = applied(conn)?;
    let mut known = known(conn.is_sqlite())?;
    known.retain(|version| !applied.contains(version));
    Ok(known)
}

/// Returns the name of the last migration that this program knows, which names the schema.
///
/// # Errors
/// [`Error::Migration`] if the program was built without migrations.
pub fn latest() -> Result<String> {
    last(&known(true)?)
}

/// Returns the versions of all migrations of this program, in order.
///
/// # Errors
/// [`Error::Migration`].
pub fn known(on_sqlite: bool) -> Result<Vec<String>> {
    use diesel::migration::MigrationSource;
    let mut versions = if on_sqlite {
        versions(MigrationSource::<diesel::sqlite::Sqlite>::migrations(&SQLITE))?
    } else {
        versions(MigrationSource::<diesel::pg::Pg>::migrations(&POSTGRES))?
    };
    versions.sort_unstable();
    Ok(versions)
}

fn last(versions: &[String]) -> Result<String> {
    versions.last().cloned().ok_or_else(|| Error::Migration("there is no migration".to_owned()))
}

#[derive(QueryableByName)]
struct Version {
    #[diesel(sql_type = diesel::sql_types::Text)]
    version: String,
}

/// Returns the versions of the applied migrations, in order. diesel's own function would create its
/// table first.
fn applied(conn: &mut Conn) -> Result<Vec<String>> {
    let tables = match conn.is_sqlite() {
        true => "SELECT name AS version FROM sqlite_master WHERE type = 'table' AND name = ",
        false => "SELECT relname::text AS version FROM pg_class WHERE oid = to_regclass(",
    };
    let close = if conn.is_sqlite() { "" } else { ")" };
    let found: Vec<Version> = sql_query(format!("{tables}'{TABLE}'{close}")).load(conn)?;
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let rows = sql_query(format!("SELECT version FROM {TABLE} ORDER BY version"));
    let rows: Vec<Version> = rows.load(conn)?;
    Ok(rows.into_iter().map(|row| row.version).collect())
}

fn run_pending<DB: diesel::backend::Backend>(
    conn: &mut impl MigrationHarness<DB>,
    migrations: EmbeddedMigrations,
) -> Result<Vec<String>> {
    let ran = conn.run_pending_migrations(migrations).map_err(migration_error)?;
    Ok(ran.iter().map(ToString::to_string).collect())
}

fn versions<DB: diesel::backend::Backend>(
    found: diesel::migration::Result<Vec<Box<dyn diesel::migration::Migration<DB>>>>,
) -> Result<Vec<String>> {
    let found = found.map_err(migration_error)?;
    Ok(found.iter().map(|migration| migration.name().version().to_string()).collect())
}

#[expect(clippy::needless_pass_by_value, reason = "the shape of map_err")]
fn migration_error(error: Box<dyn std::error::Error + Send + Sync>) -> Error {
    Error::Migration(error.to_string())
}
