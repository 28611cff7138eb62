//! Usage statistics of a store for metrics. Counting costs one atomic addition.

use std::sync::atomic::{AtomicU64, Ordering};

/// Hits and misses of a cache since the process began.
#[derive(Debug, Default)]
pub struct CacheCounters {
    hits: AtomicU64,
    misses: AtomicU64,
}

/// Values of [`CacheCounters`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheUsage {
    pub hits: u64,
    pub misses: u64,
}

impl CacheCounters {
    /// Adds to the numbers of hits and misses.
    pub fn record(&self, hits: usize, misses: usize) {
        self.hits.fetch_add(hits as u64, Ordering::Relaxed);
        self.misses.fetch_add(misses as u64, Ordering::Relaxed);
    }

    /// Returns the present values.
    #[must_use]
    pub fn usage(&self) -> CacheUsage {
        CacheUsage {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
        }
    }
}

/// Connections of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PoolUsage {
    /// Maximum number of connections.
    pub size: u32,
    /// Number of open connections.
    pub open: u32,
    /// Number of open connections that are idle.
    pub idle: u32,
}

/// Statistics of the writer lane since the process began.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LaneUsage {
    /// Writes that are queued or running.
    pub waiting: u64,
    /// Number of committed batches.
    pub batches: u64,
    /// Number of writes in these batches.
    pub writes: u64,
    /// Seconds for which the lane was busy.
    pub busy: f64,
}

/// Counters of the writer lane.
#[derive(Debug, Default)]
pub(crate) struct LaneMeter {
    pub(crate) waiting: AtomicU64,
    batches: AtomicU64,
    writes: AtomicU64,
    busy_us: AtomicU64,
}

impl LaneMeter {
    /// Counts a batch of `writes` committed writes.
    pub(crate) fn committed(&self, writes: usize) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.writes.fetch_add(writes as u64, Ordering::Relaxed);
    }

    /// Adds time for which the lane was busy.
    pub(crate) fn add_busy_time(&self, time: std::time::Duration) {
        let us = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.busy_us.fetch_add(us, Ordering::Relaxed);
    }

    pub(crate) fn usage(&self) -> LaneUsage {
        let seconds = std::time::Duration::from_micros(self.busy_us.load(Ordering::Relaxed));
        LaneUsage {
            waiting: self.waiting.load(Ordering::Relaxed),
            batches: self.batches.load(Ordering::Relaxed),
            writes: self.writes.load(Ordering::Relaxed),
            busy: seconds.as_secs_f64(),
        }
    }
}

/// Usage statistics of a store.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StoreUsage {
    pub pool: PoolUsage,
    /// `None` on PostgreSQL, where writes share the pool.
    pub lane: Option<LaneUsage>,
    /// Transactions that this process has committed.
    pub commits: u64,
    /// Cache of status snapshots.
    pub statuses: CacheUsage,
    /// Cache of account snapshots.
    pub accounts: CacheUsage,
    /// Cache of viewer relations.
    pub relations: CacheUsage,
}
