//! People's filters, compiled once and kept; and the one way in which they are asked.
//!
//! What is kept goes when its owner's filters change: before this process answers who changed them,
//! and when the event of another process is heard. Filters that were being read meanwhile are used
//! for the answer that wanted them, and are not kept.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use siskin_entities::{FilterContext, FilterSet, Marked, filters::HoldsStatuses};
use siskin_ids::AccountId;
use siskin_persistence::{Conn, Tx};
use siskin_services::{Result, filters};

use crate::{App, app::blocking};

/// Bytes of compiled filters after which those go that have not been asked for longest. Up to twice
/// as many are kept.
const GENERATION: usize = 8 << 20;
/// What it takes to remember that somebody has no filters, in bytes.
const ENTRY: usize = 128;
/// With so many statuses to look at, it is left to a thread that may take its time.
const MANY: usize = 100;

/// The filters of those who have read something lately.
#[derive(Default)]
pub(crate) struct CachedFilters(Mutex<Generations>);

/// The young ones have been asked for since the old ones were young.
#[derive(Default)]
struct Generations {
    young: HashMap<AccountId, Arc<FilterSet>>,
    old: HashMap<AccountId, Arc<FilterSet>>,
    /// Bytes of the young ones.
    size: usize,
    /// How often anything was thrown away because it was no longer true.
    changes: u64,
}

impl Generations {
    fn get(&mut self, account: AccountId) -> Option<Arc<FilterSet>> {
        if let Some(set) = self.young.get(&account) {
            return Some(Arc::clone(set));
        }
        let set = self.old.remove(&account)?;
        self.insert(account, Arc::clone(&set));
        Some(set)
    }

    fn insert(&mut self, account: AccountId, set: Arc<FilterSet>) {
        let size = ENTRY + set.memory();
        if self.size + size > GENERATION {
            self.old = std::mem::take(&mut self.young);
            self.size = 0;
        }
        if self.young.insert(account, set).is_none() {
            self.size += size;
        }
    }

    fn forget(&mut self, account: AccountId) {
        self.changes += 1;
        self.old.remove(&account);
        if let Some(set) = self.young.remove(&account) {
            self.size = self.size.saturating_sub(ENTRY + set.memory());
        }
    }
}

impl CachedFilters {
    fn lock(&self) -> MutexGuard<'_, Generations> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl App {
    /// The filters of an account as they are now; those of nobody are none. No statement where they
    /// are known.
    ///
    /// # Errors
    /// Storage errors only.
    pub async fn filters(&self, account: Option<AccountId>) -> Result<Arc<FilterSet>> {
        let Some(account) = account else { return Ok(Arc::default()) };
        let changes = {
            let mut kept = self.inner.filters.lock();
            if let Some(set) = kept.get(account) {
                return Ok(set);
            }
            kept.changes
        };
        let set = Arc::new(self.read(move |conn| filters::load(conn, account)).await?);
        let mut kept = self.inner.filters.lock();
        if kept.changes == changes {
            kept.insert(account, Arc::clone(&set));
        }
        Ok(set)
    }

    /// How often anything was thrown away, to be asked before a snapshot is taken for
    /// [`App::filters_in`].
    pub(crate) fn filter_changes(&self) -> u64 {
        self.inner.filters.lock().changes
    }

    /// The same as [`App::filters`] in a snapshot that was taken when so much had been thrown away:
    /// what it says is not kept where more was since.
    pub(crate) fn filters_in(
        &self,
        conn: &mut Conn,
        account: AccountId,
        changes: u64,
    ) -> Result<Arc<FilterSet>> {
        if let Some(set) = self.inner.filters.lock().get(account) {
            return Ok(set);
        }
        let set = Arc::new(filters::load(conn, account)?);
        let mut kept = self.inner.filters.lock();
        if kept.changes == changes {
            kept.insert(account, Arc::clone(&set));
        }
        Ok(set)
    }

    /// Asks the filters of `viewer` about what is shown to them in `context`.
    ///
    /// # Errors
    /// Storage errors only.
    pub async fn marked<T: HoldsStatuses + Send + 'static>(
        &self,
        viewer: Option<AccountId>,
        context: FilterContext,
        shown: T,
    ) -> Result<Marked<T>> {
        let (set, now) = (self.filters(viewer).await?, self.now());
        if set.is_empty() || shown.statuses() < MANY {
            return Ok(set.mark(context, now, shown));
        }
        blocking(move || Ok(set.mark(context, now, shown))).await
    }

    /// Changes the filters of `owner`; from the answer on, everything this process shows them goes
    /// by what they are then.
    ///
    /// # Errors
    /// What `change` returns, and as [`App::write`].
    pub async fn change_filters<T: Send + 'static>(
        &self,
        owner: AccountId,
        change: impl Fn(&mut Tx<'_>, AccountId) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let changed = self.write(move |tx| change(tx, owner)).await;
        // Also after a failure: a commit may be done although nobody could say so.
        self.forget_filters(owner);
        changed
    }

    /// Has the filters of an account read anew when they are wanted next.
    pub(crate) fn forget_filters(&self, account: AccountId) {
        self.inner.filters.lock().forget(account);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(id: i64) -> AccountId {
        AccountId::new(id)
    }

    #[test]
    fn those_go_that_nobody_asked_for() {
        let (mut kept, many) = (Generations::default(), i64::try_from(GENERATION / ENTRY).unwrap());
        for id in 1..=3 * many {
            kept.insert(account(id), Arc::default());
            assert!(kept.get(account(1)).is_some(), "{id}");
        }
        assert!(kept.get(account(2)).is_none());
        assert!(kept.get(account(3 * many)).is_some());
        assert!(kept.young.len() + kept.old.len() <= 2 * usize::try_from(many).unwrap() + 2);
    }

    #[test]
    fn what_is_forgotten_is_gone_and_takes_no_room() {
        let mut kept = Generations::default();
        kept.insert(account(1), Arc::default());
        kept.insert(account(1), Arc::default());
        kept.forget(account(1));
        assert!(kept.get(account(1)).is_none());
        assert_eq!((kept.size, kept.changes), (0, 1));
    }
}
