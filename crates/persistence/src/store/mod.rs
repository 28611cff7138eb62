//! Opens the database and hands out reads and write transactions.
//!
//! Both block the calling thread. A read sees one snapshot on either engine and cannot write. A
//! write goes through the writer lane on `SQLite` and over a pooled connection on PostgreSQL; its
//! closure may run more than once, so it must change nothing but rows.

mod checkpoint;
mod lane;
mod lock;
mod node;
mod options;
mod outage;
mod permissions;
mod pool;
mod session;
mod statements;
mod unit;
mod writing;

use std::{
    fmt,
    fs::File,
    panic::{AssertUnwindSafe, Location, catch_unwind},
    path::Path,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use siskin_entities::Timestamp;

use self::{
    checkpoint::Checkpoints,
    lane::{Lane, Writer},
    node::Node,
    pool::{Pool, PooledWriter},
    session::{Access, Session},
    statements::Statements,
};
use crate::{
    Conn, Error, Result, StoreUsage, Tx,
    conn::Location as Address,
    cores::{self, Cores},
    migrations,
};

pub(crate) use self::node::highest_id;
pub use self::{
    options::{Clock, Engine, OnOpen, Role, StoreOptions, system_time},
    statements::Counted,
};

/// A write that holds the lane for longer is named in the log.
const SLOW: Duration = Duration::from_millis(50);

/// A database with its readers and its writer. Cloning it is cheap and opens nothing.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    // Fields are dropped in this order: the writer gives its node back before the lock goes.
    writer: AnyWriter,
    readers: Arc<Pool>,
    _serving: Option<File>,
    clock: Clock,
    committed: Arc<Committed>,
    statements: Arc<Statements>,
    cores: Arc<Cores>,
}

enum AnyWriter {
    Lane(Lane),
    Pooled(PooledWriter),
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Store").field(&self.engine()).finish()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let AnyWriter::Pooled(writer) = &self.writer {
            writer.release();
        }
    }
}

impl Store {
    /// Opens the database. Makes and migrates it first if that is needed and the options allow it:
    /// processes that start together wait for each other.
    ///
    /// # Errors
    /// [`Error::NewerSchema`] if a newer program has migrated the database. With
    /// [`OnOpen::Require`] also [`Error::NoDatabase`], [`Error::EmptyDatabase`] and
    /// [`Error::OlderSchema`]. [`Error::InUse`] where the role is a server's and another server has the `SQLite` file;
    /// [`Error::NoNode`] where too many processes use the database; and whatever opening and
    /// migrating can meet.
    pub fn open(options: &StoreOptions) -> Result<Self> {
        match Address::parse(&options.url)? {
            Address::Sqlite(path) => Self::open_sqlite(Path::new(path), options),
            Address::Postgres(_) => Self::open_postgres(options),
        }
    }

    fn open_sqlite(path: &Path, options: &StoreOptions) -> Result<Self> {
        // Each connection to this would have a database of its own.
        if path == Path::new(":memory:") {
            return Err(Error::InMemory);
        }
        prepare_file(path, options)?;
        let serving = match options.role {
            Role::Server => Some(lock::serving(path)?),
            Role::Command => None,
        };
        let opening = lock::opening(path)?;
        prepare_schema(&mut Conn::open(&options.url)?, options)?;
        let mut session = Session::open(&options.url, Access::Write)?;
        drop(opening);
        let node = Node::new(options.role, true);
        node.ids(&mut session, (options.clock)())?;
        let (committed, statements) = shared(options);
        let lane = Lane::start(Writer {
            url: options.url.clone(),
            clock: Arc::clone(&options.clock),
            node,
            session: Some(session),
            checkpoints: Checkpoints::new(path),
            committed: Arc::clone(&committed),
            statements: Arc::clone(&statements),
            meter: Arc::default(),
        })?;
        let readers = Arc::new(Pool::new(&options.url, Access::Read, options.connections));
        let writer = AnyWriter::Lane(lane);
        let clock = Arc::clone(&options.clock);
        let cores = Arc::default();
        let _serving = serving;
        Ok(Self::new(Inner { writer, readers, _serving, clock, committed, statements, cores }))
    }

    fn open_postgres(options: &StoreOptions) -> Result<Self> {
        prepare_schema(&mut Conn::open(&options.url)?, options)?;
        let pool = Arc::new(Pool::new(&options.url, Access::Write, options.connections));
        let node = Node::new(options.role, false);
        node.ids(&mut *pool.get()?, (options.clock)())?;
        let (committed, statements) = shared(options);
        let writer = AnyWriter::Pooled(PooledWriter {
            pool: Arc::clone(&pool),
            clock: Arc::clone(&options.clock),
            node,
            committed: Arc::clone(&committed),
            statements: Arc::clone(&statements),
        });
        let (readers, clock) = (pool, Arc::clone(&options.clock));
        let (_serving, cores) = (None, Arc::default());
        Ok(Self::new(Inner { writer, readers, _serving, clock, committed, statements, cores }))
    }

    fn new(inner: Inner) -> Self {
        Self { inner: Arc::new(inner) }
    }

    /// Which engine this is.
    #[must_use]
    pub fn engine(&self) -> Engine {
        match self.inner.writer {
            AnyWriter::Lane(_) => Engine::Sqlite,
            AnyWriter::Pooled(_) => Engine::Postgres,
        }
    }

    /// The time by the clock that the store was opened with.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.inner.clock)()
    }

    /// Runs `body` on one snapshot of the database; it cannot write. Blocks.
    ///
    /// # Errors
    /// The error of `body`; [`Error::Pool`] where no connection comes free in ten seconds;
    /// [`Error::Nested`] inside a write, which reads through its own [`Tx`].
    #[track_caller]
    pub fn read<T, E: From<Error>>(
        &self,
        body: impl FnOnce(&mut Conn) -> Result<T, E>,
    ) -> Result<T, E> {
        self.read_at(Location::caller(), body)
    }

    /// [`Store::read`] on behalf of the code at `at`, which the statement counter names.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub fn read_at<T, E: From<Error>>(
        &self,
        at: &'static Location<'static>,
        body: impl FnOnce(&mut Conn) -> Result<T, E>,
    ) -> Result<T, E> {
        if writing::already() {
            return Err(Error::Nested.into());
        }
        let body = |conn: &mut Conn| cores::during(&self.inner.cores, || body(conn));
        self.inner.readers.read(at, &self.inner.statements, body)
    }

    /// Runs `body` in a write transaction and returns once its COMMIT did; an error of `body`
    /// undoes what it wrote. Blocks. `body` may run several times, each time after everything it
    /// wrote before was undone.
    ///
    /// # Errors
    /// The error of `body`; [`Error::Lost`] where nothing was written, [`Error::Uncertain`] where
    /// that is not known; [`Error::Nested`] inside another write.
    #[track_caller]
    pub fn write<T, E, F>(&self, body: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    {
        self.write_at(Location::caller(), body)
    }

    /// [`Store::write`] on behalf of the code at `at`, which the log and the statement counter
    /// name.
    ///
    /// # Errors
    /// As [`Store::write`].
    pub fn write_at<T, E, F>(&self, at: &'static Location<'static>, body: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    {
        if writing::already() {
            return Err(Error::Nested.into());
        }
        match &self.inner.writer {
            AnyWriter::Lane(lane) => lane.write(at, body),
            AnyWriter::Pooled(writer) => writer.write(at, body),
        }
    }

    /// Calls `hook` after every COMMIT of this process, on the writing thread: it must be quick,
    /// such as waking somebody.
    pub fn on_commit(&self, hook: impl Fn() + Send + Sync + 'static) {
        self.inner.committed.add(Box::new(hook));
    }

    /// What every read and write cost since the last call; empty unless the options asked for
    /// counting.
    #[must_use]
    pub fn take_counted(&self) -> Vec<Counted> {
        self.inner.statements.take()
    }

    /// Returns what the store holds and has done so far.
    #[must_use]
    pub fn usage(&self) -> StoreUsage {
        let cores = &self.inner.cores;
        StoreUsage {
            pool: self.inner.readers.usage(),
            lane: match &self.inner.writer {
                AnyWriter::Lane(lane) => Some(lane.usage()),
                AnyWriter::Pooled(_) => None,
            },
            commits: self.commits(),
            statuses: cores.statuses.lookups.usage(),
            accounts: cores.accounts.lookups.usage(),
        }
    }

    /// How many transactions of this process were committed since it opened the store: one that
    /// was answered is counted.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.inner.committed.count.load(Ordering::SeqCst)
    }
}

fn shared(options: &StoreOptions) -> (Arc<Committed>, Arc<Statements>) {
    (Arc::default(), Arc::new(Statements::new(options.count_statements)))
}

/// Makes a missing `SQLite` file with its folder, if the options allow it.
fn prepare_file(path: &Path, options: &StoreOptions) -> Result<()> {
    match options.on_open {
        OnOpen::Migrate => {
            permissions::make_folder_of(path)?;
            permissions::make_file(path)
        }
        // Refused before a lock file is made beside it.
        OnOpen::Require => {
            Conn::require_file(&options.url)?;
            migrations::schema(&mut session::open_patiently(&options.url)?)?.require_not_newer()
        }
    }
}

fn prepare_schema(conn: &mut Conn, options: &StoreOptions) -> Result<()> {
    match options.on_open {
        OnOpen::Migrate => migrations::run(conn).map(drop),
        OnOpen::Require => migrations::schema(conn)?.require(),
    }
}

/// Those who want to hear of every COMMIT.
#[derive(Default)]
struct Committed {
    hooks: RwLock<Vec<Hook>>,
    count: AtomicU64,
}

type Hook = Box<dyn Fn() + Send + Sync>;

impl Committed {
    fn add(&self, hook: Hook) {
        self.hooks.write().unwrap_or_else(PoisonError::into_inner).push(hook);
    }

    /// A hook that panics must take neither the writer nor the other hooks with it.
    fn tell(&self) {
        self.count.fetch_add(1, Ordering::SeqCst);
        for hook in &*self.hooks.read().unwrap_or_else(PoisonError::into_inner) {
            if catch_unwind(AssertUnwindSafe(hook)).is_err() {
                log::error!("a hook after COMMIT panicked");
            }
        }
    }
}
