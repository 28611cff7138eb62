//! Cores of statuses and accounts that were read before: what a version names is read once.
//!
//! Each store has its own. A core is kept under its id, its version and the *generation*, which are
//! read with every page from the page's own snapshot; whatever changes a core raises its version, and
//! what changes many at once (a custom emoji, say) raises the generation. Triggers see to both
//! (`migrations/…/0020_versions`; `docs/decisions/0021` says why nothing kept is ever stale). So
//! nothing is ever thrown away but for want of room, and a reader with an older snapshot gets the
//! older core.
//!
//! Only reads look here and only reads add: what a write has changed may be undone, and its version
//! given to something else.

mod recent;

use std::{
    cell::RefCell,
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError},
};

use diesel::prelude::*;
use siskin_entities::{AccountCore, StatusCore};
use siskin_ids::{AccountId, StatusId};

use crate::{Lookups, Result, Tx, schema::shown_generation};

pub use recent::Recent;

/// Bytes of cores of statuses that are kept, at most.
const STATUSES: usize = 24 << 20;
/// Bytes of cores of accounts that are kept, at most.
const ACCOUNTS: usize = 6 << 20;

/// The cores of one store.
pub(crate) struct Cores {
    pub(crate) statuses: Kept<StatusId, StatusCore>,
    pub(crate) accounts: Kept<AccountId, AccountCore>,
}

impl Default for Cores {
    fn default() -> Self {
        Self {
            statuses: Kept::new(STATUSES, StatusCore::memory),
            accounts: Kept::new(ACCOUNTS, AccountCore::memory),
        }
    }
}

/// What names the content of a core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key<I> {
    pub(crate) id: I,
    pub(crate) version: i64,
    pub(crate) generation: i64,
}

/// Cores of one kind.
pub(crate) struct Kept<I, C> {
    recent: Mutex<Recent<Key<I>, C>>,
    memory: fn(&C) -> usize,
    pub(crate) lookups: Lookups,
}

impl<I: Copy + Eq + Hash, C> Kept<I, C> {
    fn new(most: usize, memory: fn(&C) -> usize) -> Self {
        Self { recent: Mutex::new(Recent::new(most)), memory, lookups: Lookups::default() }
    }

    /// Those of these that are kept.
    pub(crate) fn known(&self, keys: impl Iterator<Item = Key<I>>) -> HashMap<I, Arc<C>> {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        keys.filter_map(|key| Some((key.id, recent.get(&key)?))).collect()
    }

    fn keep(&self, cores: impl Iterator<Item = (Key<I>, Arc<C>)>) {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, core) in cores {
            let memory = (self.memory)(&core);
            recent.insert(key, core, memory);
        }
    }
}

/// The cores with these keys: those that are kept, and those that `read` finds by the ids of the
/// others.
pub(crate) fn of<I: Copy + Eq + Hash, C>(
    keys: &[Key<I>],
    kind: fn(&Cores) -> &Kept<I, C>,
    read: impl FnOnce(&[I]) -> Result<HashMap<I, Arc<C>>>,
) -> Result<HashMap<I, Arc<C>>> {
    let cores = current();
    let kept = cores.as_deref().map(kind);
    let mut found = kept.map_or_else(HashMap::new, |kept| kept.known(keys.iter().copied()));
    let missing: Vec<Key<I>> =
        keys.iter().filter(|key| !found.contains_key(&key.id)).copied().collect();
    if let Some(kept) = kept {
        kept.lookups.note(found.len(), missing.len());
    }
    if missing.is_empty() {
        return Ok(found);
    }
    let ids: Vec<I> = missing.iter().map(|key| key.id).collect();
    let read = read(&ids)?;
    if let Some(kept) = kept {
        kept.keep(missing.iter().filter_map(|key| Some((*key, Arc::clone(read.get(&key.id)?)))));
    }
    found.extend(read);
    Ok(found)
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<Cores>>> = const { RefCell::new(None) };
}

/// The cores of the store whose read this thread is inside of; none inside a write.
fn current() -> Option<Arc<Cores>> {
    CURRENT.with_borrow(Clone::clone)
}

/// Runs the code of a read of the store with these cores.
pub(crate) fn during<R>(cores: &Arc<Cores>, body: impl FnOnce() -> R) -> R {
    struct Before(Option<Arc<Cores>>);
    impl Drop for Before {
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }
    let _before = Before(CURRENT.replace(Some(Arc::clone(cores))));
    body()
}

/// Ends everything that is kept, of all kinds, for whoever reads what this transaction writes.
pub(crate) fn raise_generation(tx: &mut Tx<'_>) -> Result<()> {
    diesel::update(shown_generation::table)
        .set(shown_generation::count.eq(shown_generation::count + 1))
        .execute(&mut **tx)?;
    Ok(())
}

/// The generation, as a column of any query.
macro_rules! generation {
    () => {{
        use diesel::prelude::*;
        use $crate::schema::shown_generation;
        shown_generation::table.find(1_i64).select(shown_generation::count).single_value()
    }};
}
pub(crate) use generation;
