//! The connections that threads share: readers on both engines, writers on PostgreSQL.

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
    outage::{Noticed, Outage},
    session::{Access, Session},
    statements::Statements,
    unit::panic_message,
    writing,
};
use crate::{Conn, Error, PoolUsage, Result, Tx, error};

/// Longest wait for a connection that comes free.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest wait while the database is known to be away: requests must not pile up.
const PATIENCE_WHILE_AWAY: Duration = Duration::from_secs(1);
/// How often a write runs at most, where PostgreSQL gives it up in favour of others.
const ATTEMPTS: u32 = 8;

/// A pool of connections to one database.
pub(super) struct Pool {
    sessions: r2d2::Pool<Manager>,
    size: u32,
    outage: Arc<Outage>,
}

/// Opens connections of one kind.
pub(super) struct Manager {
    url: String,
    access: Access,
}

impl ManageConnection for Manager {
    type Connection = Session;
    type Error = Error;

    fn connect(&self) -> Result<Session> {
        Session::open(&self.url, self.access)
    }

    /// Never asked: a connection that died shows it at BEGIN, which costs no round trip more.
    fn is_valid(&self, _: &mut Session) -> Result<()> {
        Ok(())
    }

    fn has_broken(&self, session: &mut Session) -> bool {
        session.is_broken()
    }
}

impl Pool {
    pub(super) fn new(url: &str, access: Access, size: u32) -> Self {
        let manager = Manager { url: url.to_owned(), access };
        let outage = Arc::<Outage>::default();
        let sessions = r2d2::Pool::builder()
            .max_size(size)
            .min_idle(Some(0))
            .test_on_check_out(false)
            .connection_timeout(PATIENCE)
            .error_handler(Box::new(Noticed(Arc::clone(&outage))))
            .build_unchecked(manager);
        Self { sessions, size, outage }
    }

    /// Returns how many connections there are, and how many are idle.
    pub(super) fn usage(&self) -> PoolUsage {
        let state = self.sessions.state();
        PoolUsage { size: self.size, open: state.connections, idle: state.idle_connections }
    }

    pub(super) fn get(&self) -> Result<PooledConnection<Manager>> {
        let patience = if self.outage.is_on() { PATIENCE_WHILE_AWAY } else { PATIENCE };
        Ok(self.sessions.get_timeout(patience)?)
    }

    /// A session in which `begin` succeeded. Connections that the server closed meanwhile (it
    /// was restarted) fail here and are replaced: at most all that the pool holds.
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
                Ok(begun) => {
                    self.outage.end();
                    return Ok((session, begun));
                }
            }
        }
    }

    /// Runs `body` in a transaction that sees one snapshot and cannot write.
    pub(super) fn read<T, E: From<Error>>(
        &self,
        at: &'static Location<'static>,
        statements: &Statements,
        body: impl FnOnce(&mut Conn) -> Result<T, E>,
    ) -> Result<T, E> {
        let (mut session, ()) = self.begin(Session::begin_read)?;
        let begun = Instant::now();
        let result = body(session.conn());
        statements.note(Access::Read, at, session.watch().statements(), begun);
        // Nothing was written, so both ends are the same; this one cannot fail.
        session.rollback();
        result
    }
}

/// Writes to PostgreSQL over a pool.
pub(super) struct PooledWriter {
    pub(super) pool: Arc<Pool>,
    pub(super) clock: Clock,
    pub(super) node: Node,
    pub(super) committed: Arc<Committed>,
    pub(super) statements: Arc<Statements>,
}

/// What became of one run of a write.
enum Attempt<T, E> {
    Done(Result<T, E>),
    Again(E),
}

impl PooledWriter {
    /// Runs `body` in a transaction, again where PostgreSQL gave it up in favour of another one.
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
            session.begin_write()?;
            Ok(ids)
        })?;
        let begun = Instant::now();
        let caught = catch_unwind(AssertUnwindSafe(|| {
            writing::during(|| body(&mut Tx::new(session.conn(), &ids, now)))
        }));
        self.statements.note(Access::Write, at, session.watch().statements(), begun);
        match caught {
            Err(panic) => {
                session.give_up();
                Ok(Attempt::Done(Err(Error::Lost(panic_message(&*panic)).into())))
            }
            Ok(Err(error)) => {
                session.rollback();
                let again = session.watch().retry();
                Ok(if again { Attempt::Again(error) } else { Attempt::Done(Err(error)) })
            }
            Ok(Ok(value)) => Ok(self.commit(&mut session, value)),
        }
    }

    fn commit<T, E: From<Error>>(&self, session: &mut Session, value: T) -> Attempt<T, E> {
        if session.depth() != Some(1) || session.watch().last_failed() {
            session.give_up();
            let why = "a statement failed, and the code went on";
            return Attempt::Done(Err(Error::Lost(why.to_owned()).into()));
        }
        match session.commit() {
            Ok(()) => {
                self.committed.tell();
                Attempt::Done(Ok(value))
            }
            Err(error) if error::asks_for_retry(&error) => {
                Attempt::Again(Error::from(error).into())
            }
            Err(error) => Attempt::Done(Err(failed_commit(error).into())),
        }
    }

    /// Gives the id node back.
    pub(super) fn release(&self) {
        if let Ok(mut session) = self.pool.get() {
            self.node.release(&mut session);
        }
    }
}

/// The server's own refusal says that nothing was written; a broken connection says nothing.
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

/// A few milliseconds, growing with each attempt; the clock's nanoseconds keep two rivals from
/// meeting again.
fn backoff(attempt: u32) -> Duration {
    let nanos = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.subsec_nanos());
    let most = 4_000_000 << attempt.min(6);
    Duration::from_nanos(u64::from(nanos % most) + 500_000)
}
