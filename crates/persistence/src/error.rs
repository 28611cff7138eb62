//! What can go wrong in storage.

use diesel::result::{DatabaseErrorKind, Error as Diesel};

/// Storage failed. What a caller can act on has a variant; everything else is [`Error::Database`].
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database address is neither `sqlite://PATH` nor `postgres://…`.
    #[error("a database address starts with sqlite:// or postgres://")]
    Url,
    /// An embedded database must be a file.
    #[error("an embedded database must be a file: sqlite://PATH")]
    InMemory,
    /// The engine could not be reached.
    #[error("cannot open the database: {0}")]
    Connect(#[from] diesel::ConnectionError),
    /// The engine closed the connection in the middle of a transaction.
    #[error("the database closed the connection: {0}")]
    Disconnected(String),
    /// No connection came free in time.
    #[error("no database connection came free: {0}")]
    Pool(#[from] r2d2::Error),
    /// Another row holds the value that must be unique.
    #[error("the row is there already")]
    Duplicate,
    /// The row that was asked for is not there.
    #[error("no such row")]
    NotFound,
    /// The engine gave up this transaction in favour of another; it can be run again.
    #[error("the transaction must be run again: {0}")]
    Retry(String),
    /// The transaction's COMMIT failed, or the code inside it panicked: nothing was written.
    #[error("the transaction was lost: {0}")]
    Lost(String),
    /// The connection broke during COMMIT: the transaction was written whole or not at all, and
    /// which of the two is not known.
    #[error("the transaction may or may not have been written: {0}")]
    Uncertain(String),
    /// The code of a write asked the store for another transaction instead of using its own.
    #[error("a transaction was asked for inside a write transaction")]
    Nested,
    /// Another server is running on this `SQLite` file.
    #[error(
        "another server is using {0}: an embedded database serves one server process at a time \
         (several need PostgreSQL)"
    )]
    InUse(String),
    /// A file beside the database that keeps processes apart could not be made or locked.
    #[error("cannot lock {0}: {1}")]
    LockFile(String, std::io::Error),
    /// The database file or its folder could not be made.
    #[error("cannot make {0}: {1}")]
    File(String, std::io::Error),
    /// So many processes use this database at once that none of the id ranges is left.
    #[error("too many processes use this database at once")]
    NoNode,
    /// The database holds data already, and something was to be put into an empty one.
    #[error("the database is not empty")]
    NotEmpty,
    /// There is no database at this place.
    #[error(
        "there is no database at {0}: check --database; `siskin serve` and `siskin migrate` make one"
    )]
    NoDatabase(String),
    /// The database has no table of migrations.
    #[error("the database is empty: check --database; `siskin serve` and `siskin migrate` fill it")]
    EmptyDatabase,
    /// The database lacks migrations of this program.
    #[error(
        "the database has schema {database}, this program needs schema {program}: back up the \
         database, then run `siskin migrate` or `siskin serve`"
    )]
    OlderSchema { database: String, program: String },
    /// The database has migrations that this program does not know.
    #[error(
        "the database has schema {database}, this program knows schema {program}: a newer release \
         has used the database, run that release or restore an older backup"
    )]
    NewerSchema { database: String, program: String },
    /// A migration failed.
    #[error("migration failed: {0}")]
    Migration(String),
    /// A stored value is not one this program writes.
    #[error("stored value of {0} is damaged")]
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
            other if asks_for_retry(&other) => Self::Retry(other.to_string()),
            other => Self::Database(other),
        }
    }
}

/// Whether the engine gave up the transaction for the sake of another one.
pub(crate) fn asks_for_retry(error: &Diesel) -> bool {
    match error {
        Diesel::DatabaseError(DatabaseErrorKind::SerializationFailure, _) => true,
        // PostgreSQL's 40P01 has no kind of its own in diesel.
        Diesel::DatabaseError(DatabaseErrorKind::Unknown, info) => {
            info.message().contains("deadlock detected")
        }
        _ => false,
    }
}

/// Whether another process holds the `SQLite` file; SQLITE_BUSY has no kind of its own in diesel.
pub(crate) fn is_busy(error: &Diesel) -> bool {
    matches!(error, Diesel::DatabaseError(_, info) if info.message().contains("is locked"))
}

impl Error {
    /// Whether running the same transaction again may succeed.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Retry(_))
    }
}
