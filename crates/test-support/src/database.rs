//! Database for a single test.

use std::{fmt, path::Path};

use anyhow::Result;
use diesel::connection::SimpleConnection;
use siskin_persistence::{Conn, OnEngine};
use tempfile::TempDir;

use crate::{Engine, postgres, scratch, template};

/// Exclusive database of a test, deleted on drop.
pub struct TestDatabase {
    engine: Engine,
    url: String,
    storage: Storage,
}

/// Resource to delete at the end.
enum Storage {
    Folder(TempDir),
    Server { name: String },
}

impl TestDatabase {
    /// Creates a fresh database with the current schema.
    ///
    /// # Panics
    /// Panics if it cannot be created, for instance because the engine is missing
    /// ([`Engine::is_available`] tells).
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        unwrap_or_panic(match engine {
            Engine::Sqlite => sqlite(template::copy_sqlite),
            Engine::Postgres => template::postgres().and_then(|name| on_server(Some(&name))),
        })
    }

    /// Creates a database without tables, as at the first start of a new server.
    ///
    /// # Panics
    /// Panics like [`TestDatabase::new`].
    #[must_use]
    pub fn empty(engine: Engine) -> Self {
        unwrap_or_panic(match engine {
            Engine::Sqlite => sqlite(|_| Ok(())),
            Engine::Postgres => on_server(None),
        })
    }

    /// Returns the URL for `siskin serve --database`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Terminates all connections, even busy ones. Does nothing for SQLite.
    ///
    /// # Panics
    /// Panics if the server does not terminate them.
    pub fn disconnect(&self) {
        if let Storage::Server { name } = &self.storage
            && let Err(error) = postgres::disconnect(name)
        {
            panic!("cannot disconnect the database of the test: {error:#}");
        }
    }

    /// Executes statements directly, without the writer lane.
    ///
    /// # Panics
    /// Panics if the engine rejects them.
    pub fn execute(&self, sql: &str) {
        let done = Conn::open(&self.url).map_err(anyhow::Error::from).and_then(|mut conn| {
            match conn.on_engine() {
                OnEngine::Postgres(pg) => pg.batch_execute(sql)?,
                OnEngine::Sqlite(sqlite) => sqlite.batch_execute(sql)?,
            }
            Ok(())
        });
        if let Err(error) = done {
            panic!("cannot run {sql}: {error:#}");
        }
    }

    /// Rejects all connections from now on, or accepts them again, as if the server was down. Does
    /// nothing for SQLite.
    ///
    /// # Panics
    /// Panics if the server does not comply.
    pub fn set_unavailable(&self, unavailable: bool) {
        if let Storage::Server { name } = &self.storage
            && let Err(error) = postgres::allow_connections(name, !unavailable)
        {
            panic!("cannot drop the database of the test: {error:#}");
        }
        if unavailable {
            self.disconnect();
        }
    }

    /// Returns the number of deadlocks, after all connections are closed. Returns 0 for SQLite,
    /// which has only one writer.
    ///
    /// # Panics
    /// Panics if a connection stays open, or if the server does not respond.
    #[must_use]
    pub fn deadlocks(&self) -> i64 {
        let Storage::Server { name } = &self.storage else { return 0 };
        match postgres::deadlocks(name) {
            Ok(deadlocks) => deadlocks,
            Err(error) => panic!("cannot query the database of the test: {error:#}"),
        }
    }

    /// Returns the engine of the database.
    #[must_use]
    pub const fn engine(&self) -> Engine {
        self.engine
    }
}

fn unwrap_or_panic(database: Result<TestDatabase>) -> TestDatabase {
    match database {
        Ok(database) => database,
        Err(error) => panic!("cannot create a database for the test: {error:#}"),
    }
}

fn sqlite(fill: impl FnOnce(&Path) -> Result<()>) -> Result<TestDatabase> {
    let folder = tempfile::Builder::new().prefix("siskin-test-").tempdir_in(scratch::folder())?;
    let file = folder.path().join("siskin.sqlite3");
    fill(&file)?;
    let url = format!("sqlite://{}", file.display());
    Ok(TestDatabase { engine: Engine::Sqlite, url, storage: Storage::Folder(folder) })
}

fn on_server(template: Option<&str>) -> Result<TestDatabase> {
    let name = postgres::new_name("test");
    postgres::create_database(&name, template)?;
    let url = postgres::url_of(&name)?;
    Ok(TestDatabase { engine: Engine::Postgres, url, storage: Storage::Server { name } })
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        // A temporary folder deletes itself. A database that cannot be dropped is deleted with its
        // server. So an error is ignored here, and cannot hide the message of a failed test.
        if let Storage::Server { name } = &self.storage {
            drop(postgres::drop_database(name));
        }
    }
}

impl fmt::Debug for TestDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let folder = match &self.storage {
            Storage::Folder(folder) => Some(folder.path()),
            Storage::Server { .. } => None,
        };
        f.debug_struct("TestDatabase").field("url", &self.url).field("folder", &folder).finish()
    }
}
