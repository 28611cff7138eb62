//! One database for one test.

use std::{fmt, path::Path};

use anyhow::Result;
use diesel::connection::SimpleConnection;
use siskin_persistence::{Conn, OnEngine};
use tempfile::TempDir;

use crate::{Engine, postgres, scratch, template};

/// A database that nobody else uses, removed when this is dropped.
pub struct TestDatabase {
    engine: Engine,
    url: String,
    storage: Storage,
}

/// What has to be removed at the end.
enum Storage {
    Folder(TempDir),
    Server { name: String },
}

impl TestDatabase {
    /// A fresh database with the schema of today.
    ///
    /// # Panics
    /// It cannot be made, for instance because the engine is not there
    /// ([`Engine::is_available`] tells).
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        made(match engine {
            Engine::Sqlite => sqlite(template::copy_sqlite),
            Engine::Postgres => template::postgres().and_then(|name| on_server(Some(&name))),
        })
    }

    /// A fresh database without any table: what a new server finds on its first start.
    ///
    /// # Panics
    /// As [`TestDatabase::new`].
    #[must_use]
    pub fn empty(engine: Engine) -> Self {
        made(match engine {
            Engine::Sqlite => sqlite(|_| Ok(())),
            Engine::Postgres => on_server(None),
        })
    }

    /// The address, as `siskin serve --database` takes it.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Cuts every connection to it, whatever it is doing. An embedded database has none.
    ///
    /// # Panics
    /// The server does not let go.
    pub fn disconnect(&self) {
        if let Storage::Server { name } = &self.storage
            && let Err(error) = postgres::disconnect(name)
        {
            panic!("cannot disconnect the database of the test: {error:#}");
        }
    }

    /// Runs statements on it, past everything that usually writes there.
    ///
    /// # Panics
    /// The engine refuses them.
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

    /// Refuses every connection to it from now on, or takes them again: as if the server was away.
    /// An embedded database has none.
    ///
    /// # Panics
    /// The server does not do it.
    pub fn set_away(&self, away: bool) {
        if let Storage::Server { name } = &self.storage
            && let Err(error) = postgres::allow_connections(name, !away)
        {
            panic!("cannot take the database of the test away: {error:#}");
        }
        if away {
            self.disconnect();
        }
    }

    /// How often two transactions waited for each other in it, once everybody has let go of it; an
    /// embedded database has one writer.
    ///
    /// # Panics
    /// Somebody does not let go, or the server does not answer.
    #[must_use]
    pub fn deadlocks(&self) -> i64 {
        let Storage::Server { name } = &self.storage else { return 0 };
        match postgres::deadlocks(name) {
            Ok(deadlocks) => deadlocks,
            Err(error) => panic!("cannot ask about the database of the test: {error:#}"),
        }
    }

    /// The engine it is on.
    #[must_use]
    pub const fn engine(&self) -> Engine {
        self.engine
    }
}

fn made(database: Result<TestDatabase>) -> TestDatabase {
    match database {
        Ok(database) => database,
        Err(error) => panic!("cannot make a database for the test: {error:#}"),
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
        // A folder removes itself. A database that stays behind goes with its server, so a test
        // that already failed keeps its own message.
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
