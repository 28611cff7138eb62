//! Opens the database and runs reads and write transactions.
//!
//! Both block the calling thread. A read sees one database snapshot on either engine and cannot
//! write. A write uses the writer lane on `SQLite` and a pooled connection on PostgreSQL. Its
//! closure may run more than once, so it must have no effects other than changing rows.

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
    path::{Path, PathBuf},
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
    migrations,
    snapshots::{CacheAccess, SnapshotCaches},
};

pub(crate) use self::node::highest_id;
pub use self::{
    options::{Clock, Engine, OnOpen, Role, StoreOptions, system_time},
    statements::Counted,
};

/// A write that occupies the lane for longer is logged.
const SLOW: Duration = Duration::from_millis(50);

/// A database with its readers and its writer. Cloning is cheap and opens nothing.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    // Fields are dropped in this order: the writer must release its node before the lock is
    // released.
    writer: AnyWriter,
    readers: Arc<Pool>,
    _serving: Option<File>,
    /// The file of the database; `None` on PostgreSQL.
    file: Option<PathBuf>,
    clock: Clock,
    committed: Arc<Committed>,
    statements: Arc<Statements>,
    snapshots: Arc<SnapshotCaches>,
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
    /// Opens the database. Creates and migrates it first if necessary and if the options allow it.
    /// Processes that start together wait for each other.
    ///
    /// # Errors
    /// [`Error::NewerSchema`] if a newer program has migrated the database. With
    /// [`OnOpen::Require`] also [`Error::NoDatabase`], [`Error::EmptyDatabase`] and
    /// [`Error::OlderSchema`]. [`Error::InUse`] if the role is a server's and another server has
    /// the `SQLite` file. [`Error::NoNode`] if too many processes use the database. Errors of
    /// opening and migrating.
    pub fn open(options: &StoreOptions) -> Result<Self> {
        match Address::parse(&options.url)? {
            Address::Sqlite(path) => Self::open_sqlite(Path::new(path), options),
            Address::Postgres(_) => Self::open_postgres(options),
        }
    }

    fn open_sqlite(path: &Path, options: &StoreOptions) -> Result<Self> {
        // Each connection to `:memory:` would have its own database.
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
        let snapshots: Arc<SnapshotCaches> = Arc::default();
        let lane = Lane::start(Writer {
            url: options.url.clone(),
            clock: Arc::clone(&options.clock),
            node,
            session: Some(session),
            checkpoints: Checkpoints::new(path),
            committed: Arc::clone(&committed),
            statements: Arc::clone(&statements),
            snapshots: Arc::clone(&snapshots),
            meter: Arc::default(),
        })?;
        let readers = Arc::new(Pool::new(&options.url, Access::Read, options.connections));
        let writer = AnyWriter::Lane(lane);
        let clock = Arc::clone(&options.clock);
        let file = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let (_serving, file) = (serving, Some(file));
        Ok(Self::new(Inner {
            writer,
            readers,
            _serving,
            file,
            clock,
            committed,
            statements,
            snapshots,
        }))
    }

    fn open_postgres(options: &StoreOptions) -> Result<Self> {
        prepare_schema(&mut Conn::open(&options.url)?, options)?;
        let pool = Arc::new(Pool::new(&options.url, Access::Write, options.connections));
        let node = Node::new(options.role, false);
        node.ids(&mut *pool.get()?, (options.clock)())?;
        let (committed, statements) = shared(options);
        let snapshots: Arc<SnapshotCaches> = Arc::default();
        let writer = AnyWriter::Pooled(PooledWriter {
            pool: Arc::clone(&pool),
            clock: Arc::clone(&options.clock),
            node,
            committed: Arc::clone(&committed),
            statements: Arc::clone(&statements),
            snapshots: Arc::clone(&snapshots),
        });
        let (readers, clock) = (pool, Arc::clone(&options.clock));
        let (_serving, file) = (None, None);
        Ok(Self::new(Inner {
            writer,
            readers,
            _serving,
            file,
            clock,
            committed,
            statements,
            snapshots,
        }))
    }

    fn new(inner: Inner) -> Self {
        Self { inner: Arc::new(inner) }
    }

    /// Returns the engine of the database.
    #[must_use]
    pub fn engine(&self) -> Engine {
        match self.inner.writer {
            AnyWriter::Lane(_) => Engine::Sqlite,
            AnyWriter::Pooled(_) => Engine::Postgres,
        }
    }

    /// Returns the absolute path of the `SQLite` file. `None` on PostgreSQL.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.inner.file.as_deref()
    }

    /// Returns the time of the store's clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.inner.clock)()
    }

    /// Runs `body` on one database snapshot. It cannot write. Blocks the thread.
    ///
    /// # Errors
    /// The error of `body`; [`Error::Pool`] if no connection becomes available within ten seconds;
    /// [`Error::Nested`] inside a write, which reads through its own [`Tx`].
    #[track_caller]
    pub fn read<T, E: From<Error>>(
        &self,
        body: impl FnOnce(&mut Conn) -> Result<T, E>,
    ) -> Result<T, E> {
        self.read_at(Location::caller(), body)
    }

    /// Works as [`Store::read`], on behalf of the code at `at`, which the statement counter
    /// records.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub fn read_at<T, E: From<Error>>(
        &self,
        at: &'static Location<'static>,
        body: impl FnOnce(&mut Conn) -> Result<T, E>,
    ) -> Result<T, E> {
        if writing::is_active() {
            return Err(Error::Nested.into());
        }
        let caches = CacheAccess::full(&self.inner.snapshots, self.now());
        self.inner.readers.read(at, &self.inner.statements, &caches, body)
    }

    /// Runs `body` in a write transaction and returns after its COMMIT. An error of `body` rolls
    /// the transaction back. Blocks the thread. `body` may run several times; each time its
    /// previous changes were rolled back.
    ///
    /// # Errors
    /// The error of `body`; [`Error::Lost`] if nothing was written; [`Error::Uncertain`] if the
    /// outcome is unknown; [`Error::Nested`] inside another write.
    #[track_caller]
    pub fn write<T, E, F>(&self, body: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    {
        self.write_at(Location::caller(), body)
    }

    /// Works as [`Store::write`], on behalf of the code at `at`, which the log and the statement
    /// counter record.
    ///
    /// # Errors
    /// As [`Store::write`].
    pub fn write_at<T, E, F>(&self, at: &'static Location<'static>, body: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
        F: Fn(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    {
        if writing::is_active() {
            return Err(Error::Nested.into());
        }
        match &self.inner.writer {
            AnyWriter::Lane(lane) => lane.write(at, body),
            AnyWriter::Pooled(writer) => writer.write(at, body),
        }
    }

    /// Registers a hook that runs after every COMMIT of this process, on the writing thread. It
    /// must be quick, for example waking another thread.
    pub fn on_commit(&self, hook: impl Fn() + Send + Sync + 'static) {
        self.inner.committed.add(Box::new(hook));
    }

    /// Returns the costs of all reads and writes since the last call. Returns nothing unless the
    /// options enabled counting.
    #[must_use]
    pub fn take_counted(&self) -> Vec<Counted> {
        self.inner.statements.take()
    }

    /// Returns usage statistics of the store.
    #[must_use]
    pub fn usage(&self) -> StoreUsage {
        let snapshots = &self.inner.snapshots;
        StoreUsage {
            pool: self.inner.readers.usage(),
            lane: match &self.inner.writer {
                AnyWriter::Lane(lane) => Some(lane.usage()),
                AnyWriter::Pooled(_) => None,
            },
            commits: self.commits(),
            statuses: snapshots.statuses.lookups.usage(),
            accounts: snapshots.accounts.lookups.usage(),
            relations: snapshots.relations.lookups.usage(),
        }
    }

    /// Returns the number of transactions that this process has committed since it opened the
    /// store. It includes every transaction with a returned result.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.inner.committed.count.load(Ordering::SeqCst)
    }
}

fn shared(options: &StoreOptions) -> (Arc<Committed>, Arc<Statements>) {
    (Arc::default(), Arc::new(Statements::new(options.count_statements)))
}

/// Creates a missing `SQLite` file with its folder, if the options allow it.
fn prepare_file(path: &Path, options: &StoreOptions) -> Result<()> {
    match options.on_open {
        OnOpen::Migrate => {
            permissions::create_parent_folder(path)?;
            permissions::create_file(path)
        }
        // The check comes first, so that no lock file is created beside a refused database.
        OnOpen::Require => {
            Conn::require_file(&options.url)?;
            migrations::schema(&mut session::open_with_retry(&options.url)?)?.require_not_newer()
        }
    }
}

fn prepare_schema(conn: &mut Conn, options: &StoreOptions) -> Result<()> {
    match options.on_open {
        OnOpen::Migrate => migrations::run(conn).map(drop),
        OnOpen::Require => migrations::schema(conn)?.require(),
    }
}

/// Hooks that run after every COMMIT, and the number of commits.
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

    /// Runs the hooks. A panic in a hook must affect neither the writer nor the other hooks.
    fn run_hooks(&self) {
        self.count.fetch_add(1, Ordering::SeqCst);
        for hook in &*self.hooks.read().unwrap_or_else(PoisonError::into_inner) {
            if catch_unwind(AssertUnwindSafe(hook)).is_err() {
                log::error!("a hook after COMMIT panicked");
            }
        }
    }
}
