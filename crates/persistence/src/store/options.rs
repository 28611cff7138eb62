//! Options for opening a database.

use std::{
    fmt,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use siskin_entities::Timestamp;

/// Source of the present time; tests replace it.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The engine of a [`Store`](super::Store).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// PostgreSQL.
    Postgres,
    /// An embedded `SQLite` database.
    Sqlite,
}

/// The kind of process that opens the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A long-running server; at most one per `SQLite` file.
    Server,
    /// A short-lived command of the command line; works beside a running server.
    Command,
}

/// What to do with a database that has another schema than this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnOpen {
    /// Create a missing database and migrate an older one.
    Migrate,
    /// Refuse the database and change nothing.
    Require,
}

/// How to open a database.
#[derive(Clone)]
pub struct StoreOptions {
    pub(super) url: String,
    pub(super) clock: Clock,
    pub(super) role: Role,
    pub(super) on_open: OnOpen,
    pub(super) connections: u32,
    pub(super) count_statements: bool,
}

impl StoreOptions {
    /// Returns options for `postgres://…` or `sqlite://PATH`: role of a server, system clock, eight
    /// connections.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            clock: Arc::new(system_time),
            role: Role::Server,
            on_open: OnOpen::Migrate,
            connections: 8,
            count_statements: false,
        }
    }

    /// Sets the clock.
    #[must_use]
    pub fn clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// Sets the kind of process.
    #[must_use]
    pub fn role(self, role: Role) -> Self {
        Self { role, ..self }
    }

    /// Sets what happens to a database that is missing or has another schema.
    #[must_use]
    pub fn on_open(self, on_open: OnOpen) -> Self {
        Self { on_open, ..self }
    }

    /// Sets the maximum number of open connections: of readers on `SQLite`, of all on PostgreSQL.
    /// At least 1.
    #[must_use]
    pub fn connections(self, connections: u32) -> Self {
        Self { connections: connections.max(1), ..self }
    }

    /// Enables counting of statements for [`Store::take_counted`](super::Store::take_counted).
    #[must_use]
    pub fn count_statements(self) -> Self {
        Self { count_statements: true, ..self }
    }
}

impl fmt::Debug for StoreOptions {
    /// Omits the address, which may contain a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreOptions")
            .field("role", &self.role)
            .field("connections", &self.connections)
            .finish_non_exhaustive()
    }
}

/// Returns the time of the system clock.
#[must_use]
pub fn system_time() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_unix_ms(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
