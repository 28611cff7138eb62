//! Cache of compiled filters, and the one function that applies them to a response.
//!
//! An entry is removed when its owner's filters change. If this process changes them, that happens
//! before it answers the request. If another process changes them, it happens when the event
//! arrives. Filters that were being loaded during a change are used for that response, but are not
//! cached.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use siskin_entities::{FilterContext, FilterSet, Marked, filters::ContainsStatuses};
use siskin_ids::AccountId;
use siskin_persistence::{CacheCounters, Conn, Recent, Tx};
use siskin_services::{Result, filters};

use crate::{App, app::blocking};

/// Maximum memory of the cached compiled filters, in bytes.
const MAX_BYTES: usize = 16 << 20;
/// From this number of statuses on, filtering runs on a blocking thread.
const BLOCKING_THRESHOLD: usize = 100;

/// Cache of the filters of recent viewers.
#[derive(Default)]
pub(crate) struct CachedFilters {
    cached: Mutex<Cached>,
    pub(crate) lookups: CacheCounters,
}

struct Cached {
    sets: Recent<AccountId, FilterSet>,
    /// Number of invalidations so far.
    changes: u64,
}

impl Default for Cached {
    fn default() -> Self {
        Self { sets: Recent::new(MAX_BYTES), changes: 0 }
    }
}

impl Cached {
    /// Caches filters that were loaded when the number of invalidations was `changes`. Does nothing
    /// if there was an invalidation since.
    fn insert(&mut self, account: AccountId, set: &Arc<FilterSet>, changes: u64) {
        if self.changes == changes {
            self.sets.insert(account, Arc::clone(set), set.memory());
        }
    }

    fn invalidate(&mut self, account: AccountId) {
        self.changes += 1;
        self.sets.remove(&account);
    }
}

impl CachedFilters {
    fn lock(&self) -> MutexGuard<'_, Cached> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl App {
    /// Returns the current filters of an account. Anonymous viewers have none. Needs no SQL
    /// statement if they are cached.
    ///
    /// # Errors
    /// Storage errors only.
    pub async fn filters(&self, account: Option<AccountId>) -> Result<Arc<FilterSet>> {
        let Some(account) = account else { return Ok(Arc::default()) };
        let changes = {
            let mut cached = self.inner.filters.lock();
            let found = cached.sets.get(&account);
            if let Some(set) = found {
                self.inner.filters.lookups.record(1, 0);
                return Ok(set);
            }
            self.inner.filters.lookups.record(0, 1);
            cached.changes
        };
        let set = Arc::new(self.read(move |conn| filters::load(conn, account)).await?);
        self.inner.filters.lock().insert(account, &set, changes);
        Ok(set)
    }

    /// Number of invalidations so far. Must be read before the snapshot for [`App::filters_in`] is
    /// taken.
    pub(crate) fn filter_changes(&self) -> u64 {
        self.inner.filters.lock().changes
    }

    /// Like [`App::filters`], in a snapshot that was taken when the number of invalidations was
    /// `changes`. Does not cache the result if there was an invalidation since.
    pub(crate) fn filters_in(
        &self,
        conn: &mut Conn,
        account: AccountId,
        changes: u64,
    ) -> Result<Arc<FilterSet>> {
        if let Some(set) = self.inner.filters.lock().sets.get(&account) {
            return Ok(set);
        }
        let set = Arc::new(filters::load(conn, account)?);
        self.inner.filters.lock().insert(account, &set, changes);
        Ok(set)
    }

    /// Applies the filters of `viewer` to the content of a response in `context`.
    ///
    /// # Errors
    /// Storage errors only.
    pub async fn marked<T: ContainsStatuses + Send + 'static>(
        &self,
        viewer: Option<AccountId>,
        context: FilterContext,
        shown: T,
    ) -> Result<Marked<T>> {
        let (set, now) = (self.filters(viewer).await?, self.now());
        if set.is_empty() || shown.statuses() < BLOCKING_THRESHOLD {
            return Ok(set.mark(context, now, shown));
        }
        blocking(move || Ok(set.mark(context, now, shown))).await
    }

    /// Changes the filters of `owner`. Every response of this process uses the new filters as soon
    /// as this returns.
    ///
    /// # Errors
    /// What `change` returns, and as [`App::write`].
    pub async fn change_filters<T: Send + 'static>(
        &self,
        owner: AccountId,
        change: impl Fn(&mut Tx<'_>, AccountId) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let changed = self.write(move |tx| change(tx, owner)).await;
        // Also after a failure: the commit may have succeeded without confirmation.
        self.invalidate_filters(owner);
        changed
    }

    /// Invalidates the cached filters of an account, so the next use loads them again.
    pub(crate) fn invalidate_filters(&self, account: AccountId) {
        self.inner.filters.lock().invalidate(account);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_loaded_during_a_change_are_not_cached() {
        let (mut cached, account) = (Cached::default(), AccountId::new(1));
        cached.insert(account, &Arc::default(), 0);
        assert!(cached.sets.get(&account).is_some());
        cached.invalidate(account);
        cached.insert(account, &Arc::default(), 0);
        assert!(cached.sets.get(&account).is_none());
        cached.insert(account, &Arc::default(), 1);
        assert!(cached.sets.get(&account).is_some());
    }
}
