//! Storage errors.

use diesel::result::{DatabaseErrorKind, Error as Diesel};

/// A storage error. Conditions that a caller can handle have a variant; all others are
/// [`Error::Database`].
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database address is neither `sqlite://PATH` nor `postgres://…`.
    #[error("a database address starts with sqlite:// or postgres://")]
    Url,
    /// The embedded database is in memory, but must be a file.
    #[error("an embedded database must be a file: sqlite://PATH")]
    InMemory,
    /// The engine could not be reached.
    #[error("cannot open the database: {0}")]
    Connect(#[from] diesel::ConnectionError),
    /// The engine closed the connection in the middle of a transaction.
    #[error("the database closed the connection: {0}")]
    Disconnected(String),
    /// No pooled connection became available in time.
    #[error("no database connection became available: {0}")]
    Pool(#[from] r2d2::Error),
    /// Another row has the same unique value.
    #[error("the row already exists")]
    Duplicate,
    /// The requested row does not exist.
    #[error("no such row")]
    NotFound,
    /// The engine aborted this transaction in favour of another. It can be retried.
    #[error("the transaction must be retried: {0}")]
    Retry(String),
    /// The COMMIT failed, or the code inside the transaction panicked. Nothing was written.
    #[error("the transaction failed, nothing was written: {0}")]
    Lost(String),
    /// The connection broke during COMMIT. The transaction was written completely or not at all;
    /// the outcome is unknown.
    #[error("the transaction may or may not have been written: {0}")]
    Uncertain(String),
    /// Code inside a write transaction requested another transaction from the store instead of
    /// using its own.
    #[error("a transaction was started inside a write transaction")]
    Nested,
    /// Another server is running on this `SQLite` file.
    #[error(
        "another server is using {0}: an embedded database serves one server process at a time \
         (several need PostgreSQL)"
    )]
    InUse(String),
    /// The lock file that keeps other processes out could not be created or locked.
    #[error("cannot lock {0}: {1}")]
    LockFile(String, std::io::Error),
    /// The database file or its folder could not be created.
    #[error("cannot create {0}: {1}")]
    File(String, std::io::Error),
    /// Too many processes use this database at once, so no id range is left.
    #[error("too many processes use this database at once")]
    NoNode,
    /// The database already contains data, but the operation requires an empty one.
    #[error("the database is not empty")]
    NotEmpty,
    /// The database file does not exist.
    #[error(
        "there is no database at {0}: check --database; `siskin serve` and `siskin migrate` create \
         one"
    )]
    NoDatabase(String),
    /// The database has no table of migrations.
    #[error(
        "the database is empty: check --database; `siskin serve` and `siskin migrate` initialize it"
    )]
    EmptyDatabase,
    /// The database lacks migrations that this program has.
    #[error(
        "the database has schema {database}, but this program needs schema {program}: back up the \
         database, then run `siskin migrate` or `siskin serve`"
    )]
    OlderSchema { database: String, program: String },
    /// The database has migrations that this program does not know.
    #[error(
        "the database has schema {database}, but this program supports schema {program}: a newer \
         release has used the database, so run that release or restore an older backup"
    )]
    NewerSchema { database: String, program: String },
    /// A migration failed.
    #[error("migration failed: {0}")]
    Migration(String),
    /// A stored value has a form that this program does not write.
    #[error("the stored value of {0} is invalid")]
    Damaged(&'static str),
    /// Anything else.
    #[error("database error: {0}")]
    Database(Diesel),
}

impl From<Diesel> for Error {
    fn from(error: Diesel) -> Self {
        match error {
            Diesel::NotFound => Self::NotFound,
            Diesel::DatabaseError(DatabaseErrorKind::UniqueViolation, _) => Self::Duplicate,
            Diesel::DatabaseError(DatabaseErrorKind::ClosedConnection, info) => {
                Self::Disconnected(info.message().to_owned())
            }
            other if is_serialization_failure(&other) => Self::Retry(other.to_string()),
            other => Self::Database(other),
        }
    }
}

/// Returns `true` if the engine aborted the transaction in favour of another one.
pub(crate) fn is_serialization_failure(error: &Diesel) -> bool {
    match error {
        Diesel::DatabaseError(DatabaseErrorKind::SerializationFailure, _) => true,
        // diesel has no kind for PostgreSQL's error 40P01.
        Diesel::DatabaseError(DatabaseErrorKind::Unknown, info) => {
            info.message().contains("deadlock detected")
        }
        _ => false,
    }
}

/// Returns `true` if another process holds the `SQLite` file. diesel has no kind for `SQLITE_BUSY`.
pub(crate) fn is_busy(error: &Diesel) -> bool {
    matches!(error, Diesel::DatabaseError(_, info) if info.message().contains("is locked"))
}

impl Error {
    /// Returns `true` if a retry of the same transaction may succeed.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Retry(_))
    }
}
