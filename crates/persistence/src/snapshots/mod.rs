//! Cache of status and account snapshots, so that each version is read from the database once.
//!
//! Each store has its own cache. The cache key consists of the id, the version and the
//! *generation*. Every page reads the versions and the generation in its own database snapshot. A
//! change of a snapshot raises its version. A change of many at once (a custom emoji, for example)
//! raises the generation. Triggers do both (`migrations/…/0020_versions`); `docs/decisions/0021`
//! explains why no cache entry is ever stale. So entries are evicted only for lack of room, and a
//! transaction with an older database snapshot gets the older entry.
//!
//! Only reads add to the cache. A write may be rolled back, and its version may then be given to
//! other content. A write looks up entries: a version that it sees is either committed, so that the
//! entry has the committed content, or its own, which no read has seen.

mod guesses;
mod recent;

use std::{
    hash::Hash,
    sync::{Arc, Mutex, PoisonError},
};

use diesel::prelude::*;
use siskin_entities::{AccountSnapshot, Rendered, RenderedStatus, Timestamp, ViewerRelations};
use siskin_ids::{AccountId, StatusId};

use crate::{CacheCounters, Conn, IdMap, Result, Tx, schema::shown_generation};

pub use guesses::PageGuess;
pub use recent::Recent;

/// Maximum size of the status cache in bytes.
const STATUSES: usize = 24 << 20;
/// Maximum size of the account cache in bytes.
const ACCOUNTS: usize = 6 << 20;
/// Maximum size of the cache of viewer relations in bytes.
const RELATIONS: usize = 16 << 20;

/// The snapshot caches of one store.
pub(crate) struct SnapshotCaches {
    pub(crate) statuses: SnapshotCache<StatusId, RenderedStatus>,
    pub(crate) accounts: SnapshotCache<AccountId, Rendered<AccountSnapshot>>,
    pub(crate) relations: SnapshotCache<AccountId, ViewerRelations>,
    guesses: guesses::PageGuesses,
}

impl Default for SnapshotCaches {
    fn default() -> Self {
        Self {
            statuses: SnapshotCache::new(STATUSES, |snapshot| snapshot.memory()),
            accounts: SnapshotCache::new(ACCOUNTS, |snapshot| snapshot.memory()),
            relations: SnapshotCache::new(RELATIONS, ViewerRelations::memory),
            guesses: guesses::PageGuesses::default(),
        }
    }
}

/// Access of one transaction to the snapshot caches of its store.
#[derive(Clone)]
pub(crate) struct CacheAccess {
    caches: Arc<SnapshotCaches>,
    may_add: bool,
    /// Time at which the transaction began.
    pub(crate) now: Timestamp,
}

impl CacheAccess {
    /// Returns the access of a read.
    pub(crate) fn full(caches: &Arc<SnapshotCaches>, now: Timestamp) -> Self {
        Self { caches: Arc::clone(caches), may_add: true, now }
    }

    /// Returns the access of a write, which adds nothing.
    pub(crate) fn lookup(caches: &Arc<SnapshotCaches>, now: Timestamp) -> Self {
        Self { caches: Arc::clone(caches), may_add: false, now }
    }
}

/// Returns a guess about a page of this viewer. `kind` is any number that differs between the kinds
/// of pages, such as home or a certain list, and between the guesses about one page.
pub fn page_guess(conn: &Conn, viewer: Option<AccountId>, kind: i64) -> PageGuess {
    let access = conn.snapshots();
    access.map_or_else(PageGuess::default, |access| access.caches.guesses.of(viewer, kind))
}

/// Version of a snapshot, in the generation of all snapshots. Snapshots of the same object with the
/// same version are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SnapshotVersion {
    pub(crate) version: i64,
    pub(crate) generation: i64,
}

/// Cache key of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key<I> {
    pub(crate) id: I,
    pub(crate) version: i64,
    pub(crate) generation: i64,
}

/// Cache of one kind of snapshots.
pub(crate) struct SnapshotCache<I, C> {
    recent: Mutex<Recent<Key<I>, C>>,
    memory: fn(&C) -> usize,
    pub(crate) lookups: CacheCounters,
}

impl<I: Copy + Eq + Hash, C> SnapshotCache<I, C> {
    fn new(max_bytes: usize, memory: fn(&C) -> usize) -> Self {
        Self {
            recent: Mutex::new(Recent::new(max_bytes)),
            memory,
            lookups: CacheCounters::default(),
        }
    }

    /// Returns the cached snapshots for these keys.
    pub(crate) fn get_all(&self, keys: impl Iterator<Item = Key<I>>) -> IdMap<I, Arc<C>> {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        keys.filter_map(|key| Some((key.id, recent.get(&key)?))).collect()
    }

    fn insert(&self, snapshots: impl Iterator<Item = (Key<I>, Arc<C>)>) {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, snapshot) in snapshots {
            let memory = (self.memory)(&snapshot);
            recent.insert(key, snapshot, memory);
        }
    }
}

/// Returns the snapshots with these keys, from the cache if possible. `read` loads the missing ones
/// by id.
pub(crate) fn of<I: Copy + Eq + Hash, C>(
    conn: &mut Conn,
    keys: &[Key<I>],
    kind: fn(&SnapshotCaches) -> &SnapshotCache<I, C>,
    read: impl FnOnce(&mut Conn, &[I]) -> Result<IdMap<I, Arc<C>>>,
) -> Result<IdMap<I, Arc<C>>> {
    let access = conn.snapshots();
    let cache = access.as_ref().map(|access| kind(&access.caches));
    let mut found = cache.map_or_else(IdMap::default, |cache| cache.get_all(keys.iter().copied()));
    let missing: Vec<Key<I>> =
        keys.iter().filter(|key| !found.contains_key(&key.id)).copied().collect();
    if let Some(cache) = cache {
        cache.lookups.record(found.len(), missing.len());
    }
    if missing.is_empty() {
        return Ok(found);
    }
    let ids: Vec<I> = missing.iter().map(|key| key.id).collect();
    let read = read(conn, &ids)?;
    if let Some(cache) = cache.filter(|_| access.as_ref().is_some_and(|access| access.may_add)) {
        cache.insert(missing.iter().filter_map(|key| Some((*key, Arc::clone(read.get(&key.id)?)))));
    }
    found.extend(read);
    Ok(found)
}

/// Invalidates all cached snapshots of all kinds for every reader that sees this transaction.
pub(crate) fn raise_generation(tx: &mut Tx<'_>) -> Result<()> {
    diesel::update(shown_generation::table)
        .set(shown_generation::count.eq(shown_generation::count + 1))
        .execute(&mut **tx)?;
    Ok(())
}

/// The generation as a column of any query.
macro_rules! generation {
    () => {{
        use diesel::prelude::*;
        use $crate::schema::shown_generation;
        shown_generation::table.find(1_i64).select(shown_generation::count).single_value()
    }};
}
pub(crate) use generation;
