//! People's filters, compiled once and kept; and the one way in which they are asked.
//!
//! What is kept goes when its owner's filters change: before this process answers who changed them,
//! and when the event of another process is heard. Filters that were being read meanwhile are used
//! for the answer that wanted them, and are not kept.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use siskin_entities::{FilterContext, FilterSet, Marked, filters::HoldsStatuses};
use siskin_ids::AccountId;
use siskin_persistence::{Conn, Lookups, Recent, Tx};
use siskin_services::{Result, filters};

use crate::{App, app::blocking};

/// Bytes of compiled filters that are kept, at most.
const MOST: usize = 16 << 20;
/// With so many statuses to look at, it is left to a thread that may take its time.
const MANY: usize = 100;

/// The filters of those who have read something lately.
#[derive(Default)]
pub(crate) struct CachedFilters {
    kept: Mutex<Cached>,
    pub(crate) lookups: Lookups,
}

struct Cached {
    sets: Recent<AccountId, FilterSet>,
    /// How often anything was thrown away because it was no longer true.
    changes: u64,
}

impl Default for Cached {
    fn default() -> Self {
        Self { sets: Recent::new(MOST), changes: 0 }
    }
}

impl Cached {
    /// Keeps what was read when so much had been thrown away, unless more was since.
    fn keep(&mut self, account: AccountId, set: &Arc<FilterSet>, changes: u64) {
        if self.changes == changes {
            self.sets.insert(account, Arc::clone(set), set.memory());
        }
    }

    fn forget(&mut self, account: AccountId) {
        self.changes += 1;
        self.sets.remove(&account);
    }
}

impl CachedFilters {
    fn lock(&self) -> MutexGuard<'_, Cached> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
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
            let found = kept.sets.get(&account);
            if let Some(set) = found {
                self.inner.filters.lookups.note(1, 0);
                return Ok(set);
            }
            self.inner.filters.lookups.note(0, 1);
            kept.changes
        };
        let set = Arc::new(self.read(move |conn| filters::load(conn, account)).await?);
        self.inner.filters.lock().keep(account, &set, changes);
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
        if let Some(set) = self.inner.filters.lock().sets.get(&account) {
            return Ok(set);
        }
        let set = Arc::new(filters::load(conn, account)?);
        self.inner.filters.lock().keep(account, &set, changes);
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

    #[test]
    fn what_was_being_read_when_it_changed_is_not_kept() {
        let (mut cached, account) = (Cached::default(), AccountId::new(1));
        cached.keep(account, &Arc::default(), 0);
        assert!(cached.sets.get(&account).is_some());
        cached.forget(account);
        cached.keep(account, &Arc::default(), 0);
        assert!(cached.sets.get(&account).is_none());
        cached.keep(account, &Arc::default(), 1);
        assert!(cached.sets.get(&account).is_some());
    }
}
