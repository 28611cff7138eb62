//! A connection to either engine.

use diesel::{Connection, PgConnection, SqliteConnection, connection::SimpleConnection};

use crate::{Error, Result};

/// A connection to `SQLite` or PostgreSQL; the one thing every query runs on.
#[derive(diesel::MultiConnection)]
pub enum Conn {
    /// PostgreSQL.
    Postgres(PgConnection),
    /// An embedded `SQLite` database.
    Sqlite(SqliteConnection),
}

impl std::fmt::Debug for Conn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.is_sqlite() { "Conn::Sqlite" } else { "Conn::Postgres" })
    }
}

/// Runs one body on whichever engine is behind a [`Conn`]: for the few diesel operations that
/// exist for each engine but not for both at once (`on_conflict`, batch inserts, `for_update`).
macro_rules! each {
    ($conn:expr, $c:ident => $body:expr) => {
        match $conn {
            $crate::conn::Conn::Postgres($c) => $body,
            $crate::conn::Conn::Sqlite($c) => $body,
        }
    };
}
pub(crate) use each;

impl Conn {
    /// Opens `postgres://…` or `sqlite://PATH` (the file is made if it is missing) and prepares
    /// the session.
    ///
    /// # Errors
    /// [`Error::Url`] for another scheme, [`Error::Connect`] where the engine refuses.
    pub fn open(url: &str) -> Result<Self> {
        match Location::parse(url)? {
            Location::Postgres(url) => {
                let mut conn = PgConnection::establish(url)?;
                // Engines that speak PostgreSQL's protocol need not have the setting.
                drop(conn.batch_execute(POSTGRES_SESSION));
                Ok(Self::Postgres(conn))
            }
            Location::Sqlite(path) => {
                let mut conn = SqliteConnection::establish(path)?;
                conn.batch_execute(SQLITE_SESSION)?;
                Ok(Self::Sqlite(conn))
            }
        }
    }

    /// Whether this is an embedded database.
    #[must_use]
    pub const fn is_sqlite(&self) -> bool {
        matches!(self, Self::Sqlite(_))
    }
}

/// Compiling a query takes seconds where there are many conditions, and saves nothing on pages.
const POSTGRES_SESSION: &str = "SET jit = off";

/// WAL lets readers work beside the writer; FULL puts a commit on disk before it is answered.
/// Half a gigabyte of address space for the map costs nothing until pages are touched.
pub(crate) const SQLITE_SESSION: &str = "PRAGMA busy_timeout = 10000;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -16000;
    PRAGMA mmap_size = 536870912;";

/// Where a database lives.
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
}
