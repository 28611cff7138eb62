//! What can go wrong in storage.

use diesel::result::{DatabaseErrorKind, Error as Diesel};

/// Storage failed. What a caller can act on has a variant; everything else is [`Error::Database`].
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database address is neither `sqlite://PATH` nor `postgres://…`.
    #[error("a database address starts with sqlite:// or postgres://")]
    Url,
    /// The engine could not be reached.
    #[error("cannot open the database: {0}")]
    Connect(#[from] diesel::ConnectionError),
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
    /// The schema is not the one that this program knows.
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
            Diesel::DatabaseError(DatabaseErrorKind::SerializationFailure, info) => {
                Self::Retry(info.message().to_owned())
            }
            // PostgreSQL's 40P01 has no kind of its own in diesel.
            Diesel::DatabaseError(DatabaseErrorKind::Unknown, info)
                if info.message().contains("deadlock detected") =>
            {
                Self::Retry(info.message().to_owned())
            }
            other => Self::Database(other),
        }
    }
}

impl Error {
    /// Whether running the same transaction again may succeed.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Retry(_))
    }
}
