//! A connection to either engine.

mod cached_query;

use diesel::{Connection, PgConnection, SqliteConnection, connection::SimpleConnection};
use siskin_entities::Timestamp;

use self::cached_query::Prepared;
use crate::{Error, Result, snapshots::CacheAccess};

/// A connection to `SQLite` or PostgreSQL; every query runs on it.
pub struct Conn {
    engine: OnEngine,
    prepared: Prepared,
    snapshots: Option<CacheAccess>,
}

/// The engine's own connection, for operations that only one of the engines has.
#[derive(diesel::MultiConnection)]
pub enum OnEngine {
    /// PostgreSQL.
    Postgres(PgConnection),
    /// An embedded `SQLite` database.
    Sqlite(SqliteConnection),
}

impl std::fmt::Debug for OnEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Postgres(_) => "Postgres",
            Self::Sqlite(_) => "Sqlite",
        })
    }
}

impl std::fmt::Debug for Conn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Conn").field(&self.engine).finish()
    }
}

/// Expands one body for each engine and runs the one of this [`Conn`]. For the few diesel
/// operations that exist per engine but not for both at once: `on_conflict`, batch inserts,
/// `for_update`.
macro_rules! each {
    ($conn:expr, $c:ident => $body:expr) => {
        match $crate::conn::Conn::on_engine($conn) {
            $crate::conn::OnEngine::Postgres($c) => $body,
            $crate::conn::OnEngine::Sqlite($c) => $body,
        }
    };
}
pub(crate) use each;

impl Conn {
    /// Opens `postgres://…` or `sqlite://PATH` and sets the session options. Creates a missing
    /// `SQLite` file.
    ///
    /// # Errors
    /// [`Error::Url`] for another scheme, [`Error::Connect`] if the engine refuses.
    pub fn open(url: &str) -> Result<Self> {
        match Location::parse(url)? {
            Location::Postgres(url) => {
                let mut conn = PgConnection::establish(url)?;
                // Other servers that speak PostgreSQL's protocol may lack the setting.
                drop(conn.batch_execute(POSTGRES_SESSION));
                Ok(Self::new(OnEngine::Postgres(conn)))
            }
            Location::Sqlite(path) => {
                let mut conn = SqliteConnection::establish(path)?;
                conn.batch_execute(SQLITE_SESSION)?;
                Ok(Self::new(OnEngine::Sqlite(conn)))
            }
        }
    }

    /// Opens an existing database. Creates no file.
    ///
    /// # Errors
    /// [`Error::NoDatabase`] if the `SQLite` file is missing, otherwise as [`Conn::open`].
    pub fn open_existing(url: &str) -> Result<Self> {
        Self::require_file(url)?;
        Self::open(url)
    }

    /// Checks that the file of a `SQLite` database exists.
    ///
    /// # Errors
    /// [`Error::NoDatabase`], and [`Error::Url`] for another scheme.
    pub(crate) fn require_file(url: &str) -> Result<()> {
        match Location::parse(url)? {
            Location::Sqlite(path) if !std::path::Path::new(path).is_file() => {
                Err(Error::NoDatabase(path.to_owned()))
            }
            _ => Ok(()),
        }
    }

    fn new(engine: OnEngine) -> Self {
        Self { engine, prepared: Prepared::default(), snapshots: None }
    }

    /// Returns `true` if this is an embedded `SQLite` database.
    #[must_use]
    pub const fn is_sqlite(&self) -> bool {
        matches!(self.engine, OnEngine::Sqlite(_))
    }

    /// Returns the access to the snapshot caches of the store, or `None` outside its transactions.
    pub(crate) fn snapshots(&self) -> Option<CacheAccess> {
        self.snapshots.clone()
    }

    /// Sets the access of the transaction that begins.
    pub(crate) fn set_snapshots(&mut self, snapshots: Option<CacheAccess>) {
        self.snapshots = snapshots;
    }

    /// Returns the time at which the transaction of the store began, and outside of one 1970-01-01.
    pub(crate) fn began_at(&self) -> Timestamp {
        self.snapshots.as_ref().map_or(Timestamp::from_unix_ms(0), |access| access.now)
    }

    /// Returns the engine's own connection, for operations that only one of the engines has.
    pub const fn on_engine(&mut self) -> &mut OnEngine {
        &mut self.engine
    }
}

/// Turns off JIT compilation: it takes seconds for queries with many conditions and saves nothing
/// on pages.
const POSTGRES_SESSION: &str = "SET jit = off";

/// WAL lets readers work while a writer is active. FULL syncs a commit to disk before it is
/// confirmed. The memory map reserves 512 MiB of address space, which costs nothing until pages are
/// touched.
pub(crate) const SQLITE_SESSION: &str = "PRAGMA busy_timeout = 10000;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -16000;
    PRAGMA mmap_size = 536870912;";

/// Location of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Location<'u> {
    Postgres(&'u str),
    /// A path, absolute or relative to the working directory.
    Sqlite(&'u str),
}

impl<'u> Location<'u> {
    pub(crate) fn parse(url: &'u str) -> Result<Self> {
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Ok(Self::Postgres(url));
        }
        match url.strip_prefix("sqlite://") {
            Some(path) if !path.is_empty() => Ok(Self::Sqlite(path)),
            _ => Err(Error::Url),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheme_chooses_the_engine() {
        assert_eq!(Location::parse("sqlite://a/b.db").unwrap(), Location::Sqlite("a/b.db"));
        assert_eq!(Location::parse("sqlite:///a.db").unwrap(), Location::Sqlite("/a.db"));
        assert!(matches!(Location::parse("postgres://h/d"), Ok(Location::Postgres(_))));
        assert!(Location::parse("mysql://h/d").is_err());
        assert!(Location::parse("sqlite://").is_err());
    }
    #[test]
    fn sqlite_is_compiled_as_configured() {
        #[derive(diesel::QueryableByName)]
        struct Line {
            #[diesel(sql_type = diesel::sql_types::Text)]
            compile_options: String,
        }
        let mut conn = Conn::open("sqlite://:memory:").unwrap();
        let options: Vec<Line> =
            diesel::RunQueryDsl::load(diesel::sql_query("PRAGMA compile_options"), &mut conn)
                .unwrap();
        let has = |name: &str| options.iter().any(|line| line.compile_options == name);
        assert!(has("ENABLE_QPSG") && has("THREADSAFE=2") && has("DEFAULT_MEMSTATUS=0"));
        assert!(!has("ENABLE_MEMORY_MANAGEMENT"));
    }
}
