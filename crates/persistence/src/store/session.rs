//! One connection of the store. It is opened for one kind of access and monitored. Once its state
//! is uncertain, it is closed instead of reused.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use diesel::{
    Connection,
    connection::{
        AnsiTransactionManager, Instrumentation, InstrumentationEvent, SimpleConnection,
        TransactionManager, TransactionManagerStatus,
    },
    result::{DatabaseErrorKind, Error as Diesel, QueryResult},
};

use crate::{Conn, Error, Result, conn::OnEngine, error, snapshots::CacheAccess};

/// Maximum time to wait for another process that holds the `SQLite` file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum time for which one attempt to begin waits inside `SQLite`, in milliseconds. `SQLite`'s
/// own waits grow to 100 ms. Restarting after a few keeps them short enough to hit the gap that a
/// busy writer lane leaves.
pub(super) const BUSY_ATTEMPT: &str = "PRAGMA busy_timeout = 5;";

/// Kind of access of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

/// A connection and its monitored state.
pub(super) struct Session {
    conn: Conn,
    tx_state: Arc<TxState>,
    broken: bool,
}

impl Session {
    /// Opens a connection. On `SQLite`, a connection for reading cannot write. On PostgreSQL it can
    /// do both.
    pub(super) fn open(url: &str, access: Access) -> Result<Self> {
        let mut conn = open_with_retry(url)?;
        if let OnEngine::Sqlite(sqlite) = conn.on_engine() {
            sqlite.batch_execute(match access {
                Access::Read => "PRAGMA query_only = ON;",
                Access::Write => BUSY_ATTEMPT,
            })?;
        }
        let tx_state = Arc::new(TxState::default());
        let embedded = conn.is_sqlite();
        conn.set_instrumentation(Monitor { tx_state: Arc::clone(&tx_state), embedded });
        conn.omit_cached_texts();
        Ok(Self { conn, tx_state, broken: false })
    }

    pub(super) fn conn(&mut self) -> &mut Conn {
        &mut self.conn
    }

    pub(super) fn tx_state(&self) -> &TxState {
        &self.tx_state
    }

    /// Begins a transaction in which all statements see the same database snapshot. Its statuses
    /// and accounts come from the caches.
    pub(super) fn begin_read(&mut self, caches: CacheAccess) -> Result<()> {
        self.conn.set_snapshots(Some(caches));
        let begun = match self.conn.on_engine() {
            OnEngine::Postgres(pg) => AnsiTransactionManager::begin_transaction_sql(
                pg,
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            ),
            OnEngine::Sqlite(sqlite) => {
                AnsiTransactionManager::begin_transaction_sql(sqlite, "BEGIN")
            }
        };
        self.after_begin(begun)
    }

    /// Begins a transaction that may write. On `SQLite` it holds the single write lock from here
    /// on. It looks up the snapshot caches, but adds nothing to them.
    pub(super) fn begin_write(&mut self, caches: Option<CacheAccess>) -> Result<()> {
        self.conn.set_snapshots(caches);
        let begun = match self.conn.on_engine() {
            OnEngine::Postgres(pg) => AnsiTransactionManager::begin_transaction_sql(pg, "BEGIN"),
            OnEngine::Sqlite(sqlite) => retry_while_busy(|| {
                AnsiTransactionManager::begin_transaction_sql(sqlite, "BEGIN IMMEDIATE")
            }),
        };
        self.after_begin(begun)
    }

    /// Begins a savepoint inside the open transaction. `commit` and `rollback` end it.
    pub(super) fn begin_savepoint(&mut self) -> Result<()> {
        Ok(<Conn as Connection>::TransactionManager::begin_transaction(&mut self.conn)?)
    }

    fn after_begin(&mut self, begun: QueryResult<()>) -> Result<()> {
        self.broken |= begun.is_err();
        begun?;
        self.tx_state.reset();
        Ok(())
    }

    /// Commits the innermost transaction or savepoint.
    pub(super) fn commit(&mut self) -> QueryResult<()> {
        let committed =
            <Conn as Connection>::TransactionManager::commit_transaction(&mut self.conn);
        self.broken |= committed.is_err();
        committed
    }

    /// Rolls back the innermost transaction or savepoint.
    pub(super) fn rollback(&mut self) {
        let rolled_back =
            <Conn as Connection>::TransactionManager::rollback_transaction(&mut self.conn);
        if let Err(error) = rolled_back {
            // During an outage, every open transaction fails so. The outage is logged once.
            let is_closed = self.tx_state.closed();
            let level = if is_closed { log::Level::Debug } else { log::Level::Warn };
            log::log!(level, "a rollback failed, closing the connection: {error}");
            self.broken = true;
        }
    }

    /// Returns the number of open transactions and savepoints, or `None` if it is unknown.
    pub(super) fn depth(&mut self) -> Option<u32> {
        type Manager = <Conn as Connection>::TransactionManager;
        let status: &mut TransactionManagerStatus =
            Manager::transaction_manager_status_mut(&mut self.conn);
        status.transaction_depth().ok().map(|depth| depth.map_or(0, std::num::NonZero::get))
    }

    /// Marks the connection to be closed.
    pub(super) const fn discard(&mut self) {
        self.broken = true;
    }

    /// Returns `true` if the connection must be closed instead of reused.
    pub(super) fn is_broken(&mut self) -> bool {
        self.broken || self.tx_state.closed() || self.depth() != Some(0)
    }
}

/// Opens a connection. Retries while the file is locked: another process that creates the file, or
/// closes its last connection, may lock it for a moment without `SQLite` waiting for it.
pub(super) fn open_with_retry(url: &str) -> Result<Conn> {
    let start = Instant::now();
    loop {
        match Conn::open(url) {
            Err(Error::Database(busy))
                if error::is_busy(&busy) && start.elapsed() < BUSY_TIMEOUT =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            done => return done,
        }
    }
}

fn retry_while_busy(mut begin: impl FnMut() -> QueryResult<()>) -> QueryResult<()> {
    let start = Instant::now();
    loop {
        match begin() {
            Err(busy) if error::is_busy(&busy) && start.elapsed() < BUSY_TIMEOUT => {}
            done => return done,
        }
    }
}

/// Monitored state of the present transaction.
#[derive(Debug, Default)]
pub(super) struct TxState {
    statements: AtomicU32,
    last_failed: AtomicBool,
    retry: AtomicBool,
    rolled_back: AtomicBool,
    closed: AtomicBool,
}

impl TxState {
    fn reset(&self) {
        self.statements.store(0, Ordering::Relaxed);
        self.last_failed.store(false, Ordering::Relaxed);
        self.retry.store(false, Ordering::Relaxed);
        self.rolled_back.store(false, Ordering::Relaxed);
    }

    /// Returns the number of statements since the transaction began, without BEGIN itself.
    pub(super) fn statements(&self) -> u32 {
        self.statements.load(Ordering::Relaxed)
    }

    /// Returns `true` if the last statement failed. PostgreSQL then answers COMMIT with a rollback
    /// that looks like success.
    pub(super) fn last_failed(&self) -> bool {
        self.last_failed.load(Ordering::Relaxed)
    }

    /// Returns `true` if the engine requested a retry of the transaction.
    pub(super) fn retry(&self) -> bool {
        self.retry.load(Ordering::Relaxed)
    }

    /// Returns `true` if the server closed the connection.
    fn closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }
}

struct Monitor {
    tx_state: Arc<TxState>,
    embedded: bool,
}

impl Instrumentation for Monitor {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        match event {
            InstrumentationEvent::StartQuery { query, .. } => {
                self.tx_state.statements.fetch_add(1, Ordering::Relaxed);
                if self.tx_state.rolled_back.load(Ordering::Relaxed) {
                    refuse_unless_rollback(&query.to_string());
                }
            }
            InstrumentationEvent::FinishQuery { error, .. } => self.finished(error),
            _ => {}
        }
    }
}

impl Monitor {
    fn finished(&self, error: Option<&Diesel>) {
        let tx_state = &self.tx_state;
        tx_state.last_failed.store(error.is_some(), Ordering::Relaxed);
        let Some(error) = error else { return };
        if error::is_serialization_failure(error) {
            tx_state.retry.store(true, Ordering::Relaxed);
        }
        if matches!(error, Diesel::DatabaseError(DatabaseErrorKind::ClosedConnection, _)) {
            tx_state.closed.store(true, Ordering::Relaxed);
        }
        if self.embedded && ends_transaction(error) {
            tx_state.rolled_back.store(true, Ordering::Relaxed);
        }
    }
}

/// Returns `true` if `SQLite` may have rolled back the whole transaction by itself
/// (<https://sqlite.org/lang_transaction.html>, "Response To Errors Within A Transaction").
fn ends_transaction(error: &Diesel) -> bool {
    const MESSAGES: [&str; 4] =
        ["database or disk is full", "disk I/O error", "out of memory", "interrupted"];
    matches!(error, Diesel::DatabaseError(_, info)
        if MESSAGES.iter().any(|message| info.message().contains(message)))
}

/// Panics unless the statement is a ROLLBACK. Code that continues after such a failure would write
/// outside any transaction, without any rollback. The writer lane catches the panic and drops the
/// connection.
fn refuse_unless_rollback(sql: &str) {
    assert!(
        sql.starts_with("ROLLBACK"),
        "a statement after the engine had ended the transaction by itself"
    );
}
