//! Pooled connections: readers on both engines, writers on PostgreSQL.

use std::{
    panic::{AssertUnwindSafe, Location, catch_unwind},
    sync::Arc,
    time::{Duration, Instant},
};

use diesel::result::{DatabaseErrorKind, Error as Diesel};
use r2d2::{ManageConnection, PooledConnection};

use super::{
    Clock, Committed,
    node::Node,
    outage::{Outage, OutageReporter},
    session::{Access, Session},
    statements::Statements,
    unit::panic_message,
    writing,
};
use crate::{
    Conn, Error, PoolUsage, Result, Tx, error,
    snapshots::{CacheAccess, SnapshotCaches},
};

/// Maximum time to wait for a connection.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time to wait during a known outage, so that requests do not pile up.
const OUTAGE_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum number of runs of a write that PostgreSQL aborts in favour of others.
const ATTEMPTS: u32 = 8;

/// A pool of connections to one database.
pub(super) struct Pool {
    sessions: r2d2::Pool<Manager>,
    size: u32,
    outage: Arc<Outage>,
}

/// Opens connections for one kind of access.
pub(super) struct Manager {
    url: String,
    access: Access,
    outage: Arc<Outage>,
}

impl ManageConnection for Manager {
    type Connection = Session;
    type Error = Error;

    fn connect(&self) -> Result<Session> {
        let attempt = self.outage.attempt();
        let session = Session::open(&self.url, self.access)?;
        self.outage.end(attempt);
        Ok(session)
    }

    /// Never called: a dead connection shows up at BEGIN, which costs no extra round trip.
    fn is_valid(&self, _: &mut Session) -> Result<()> {
        Ok(())
    }

    fn has_broken(&self, session: &mut Session) -> bool {
        session.is_broken()
    }
}

impl Pool {
    pub(super) fn new(url: &str, access: Access, size: u32) -> Self {
        let outage = Arc::<Outage>::default();
        let manager = Manager { url: url.to_owned(), access, outage: Arc::clone(&outage) };
        let sessions = r2d2::Pool::builder()
            .max_size(size)
            .min_idle(Some(0))
            .test_on_check_out(false)
            .connection_timeout(TIMEOUT)
            .error_handler(Box::new(OutageReporter(Arc::clone(&outage))))
            .build_unchecked(manager);
        Self { sessions, size, outage }
    }

    /// Returns the number of connections, and the number of idle ones.
    pub(super) fn usage(&self) -> PoolUsage {
        let state = self.sessions.state();
        PoolUsage { size: self.size, open: state.connections, idle: state.idle_connections }
    }

    pub(super) fn get(&self) -> Result<PooledConnection<Manager>> {
        let timeout = if self.outage.is_on() { OUTAGE_TIMEOUT } else { TIMEOUT };
        Ok(self.sessions.get_timeout(timeout)?)
    }

    /// Returns a session after `begin` succeeded on it. Connections that the server closed in the
    /// meantime, for example by a restart, fail here and are replaced. At most all connections of
    /// the pool are replaced.
    fn begin<R>(
        &self,
        begin: impl Fn(&mut Session) -> Result<R>,
    ) -> Result<(PooledConnection<Manager>, R)> {
        let mut dead = 0;
        loop {
            let mut session = self.get()?;
            match begin(&mut session) {
                Err(_) if session.is_broken() && dead < self.size => dead += 1,
                Err(error) => return Err(error),
                Ok(begun) => return Ok((session, begun)),
            }
        }
    }

    /// Runs `body` in a transaction that sees one database snapshot and cannot write. It uses these
    /// caches.
    pub(super) fn read<T, E: From<Error>>(
        &self,
        at: &'static Location<'static>,
        statements: &Statements,
        caches: &CacheAccess,
        body: impl FnOnce(&mut Conn) -> Result<T, E>,
    ) -> Result<T, E> {
        let (mut session, ()) = self.begin(|session| session.begin_read(caches.clone()))?;
        let begun = Instant::now();
        let result = body(session.conn());
        statements.record(Access::Read, at, session.tx_state().statements(), begun);
        // Nothing was written, so a rollback has the same effect as a commit, and it cannot fail.
        session.rollback();
        result
    }
}

/// Writer for PostgreSQL that uses a pool.
pub(super) struct PooledWriter {
    pub(super) pool: Arc<Pool>,
    pub(super) clock: Clock,
    pub(super) node: Node,
    pub(super) committed: Arc<Committed>,
    pub(super) statements: Arc<Statements>,
    pub(super) snapshots: Arc<SnapshotCaches>,
}

/// Outcome of one run of a write.
enum Attempt<T, E> {
    Done(Result<T, E>),
    Again(E),
}

impl PooledWriter {
    /// Runs `body` in a transaction. Repeats it if PostgreSQL aborts it in favour of another one.
    pub(super) fn write<T, E: From<Error>>(
        &self,
        at: &'static Location<'static>,
        body: impl Fn(&mut Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut attempt = 1;
        loop {
            match self.attempt(at, &body)? {
                Attempt::Again(error) if attempt == ATTEMPTS => return Err(error),
                Attempt::Again(_) => std::thread::sleep(backoff(attempt)),
                Attempt::Done(result) => return result,
            }
            attempt += 1;
        }
    }

    fn attempt<T, E: From<Error>>(
        &self,
        at: &'static Location<'static>,
        body: &impl Fn(&mut Tx<'_>) -> Result<T, E>,
    ) -> Result<Attempt<T, E>> {
        let now = (self.clock)();
        let (mut session, ids) = self.pool.begin(|session| {
            let ids = self.node.ids(session, now)?;
            session.begin_write(Some(CacheAccess::lookup(&self.snapshots, now)))?;
            Ok(ids)
        })?;
        let begun = Instant::now();
        let caught = catch_unwind(AssertUnwindSafe(|| {
            writing::during(|| body(&mut Tx::new(session.conn(), &ids, now)))
        }));
        self.statements.record(Access::Write, at, session.tx_state().statements(), begun);
        match caught {
            Err(panic) => {
                session.discard();
                Ok(Attempt::Done(Err(Error::Lost(panic_message(&*panic)).into())))
            }
            Ok(Err(error)) => {
                session.rollback();
                let again = session.tx_state().retry();
                Ok(if again { Attempt::Again(error) } else { Attempt::Done(Err(error)) })
            }
            Ok(Ok(value)) => Ok(self.commit(&mut session, value)),
        }
    }

    fn commit<T, E: From<Error>>(&self, session: &mut Session, value: T) -> Attempt<T, E> {
        if session.depth() != Some(1) || session.tx_state().last_failed() {
            session.discard();
            let why = "a statement failed, and the code ignored the error";
            return Attempt::Done(Err(Error::Lost(why.to_owned()).into()));
        }
        match session.commit() {
            Ok(()) => {
                self.committed.run_hooks();
                Attempt::Done(Ok(value))
            }
            Err(error) if error::is_serialization_failure(&error) => {
                Attempt::Again(Error::from(error).into())
            }
            Err(error) => Attempt::Done(Err(failed_commit(error).into())),
        }
    }

    /// Releases the id node.
    pub(super) fn release(&self) {
        if let Ok(mut session) = self.pool.get() {
            self.node.release(&mut session);
        }
    }
}

/// Classifies an error of COMMIT. A refusal by the server means that nothing was written. After a
/// broken connection the outcome is unknown.
fn failed_commit(error: Diesel) -> Error {
    match error {
        Diesel::DatabaseError(kind, info)
            if !matches!(kind, DatabaseErrorKind::ClosedConnection) =>
        {
            Error::Lost(format!("COMMIT failed: {}", info.message()))
        }
        other => Error::Uncertain(other.to_string()),
    }
}

/// Returns a delay of a few milliseconds that grows with each attempt. The clock's nanoseconds
/// serve as jitter, so that two competing writes do not collide again.
fn backoff(attempt: u32) -> Duration {
    let nanos = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.subsec_nanos());
    let most = 4_000_000 << attempt.min(6);
    Duration::from_nanos(u64::from(nanos % most) + 500_000)
}
