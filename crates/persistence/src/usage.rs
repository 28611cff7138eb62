//! What a store has done and what it holds, for metrics. Counting costs an atomic addition.

use std::sync::atomic::{AtomicU64, Ordering};

/// Hits and misses of a cache since the process began.
#[derive(Debug, Default)]
pub struct Lookups {
    hits: AtomicU64,
    misses: AtomicU64,
}

/// What [`Lookups`] counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheUsage {
    pub hits: u64,
    pub misses: u64,
}

impl Lookups {
    /// Counts lookups that found something and lookups that did not.
    pub fn note(&self, hits: usize, misses: usize) {
        self.hits.fetch_add(hits as u64, Ordering::Relaxed);
        self.misses.fetch_add(misses as u64, Ordering::Relaxed);
    }

    /// Returns what was counted so far.
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
    /// How many there may be.
    pub size: u32,
    /// How many are open.
    pub open: u32,
    /// How many of the open ones wait for work.
    pub idle: u32,
}

/// What the writer lane has done since the process began.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LaneUsage {
    /// Writes that wait for their turn or run now.
    pub waiting: u64,
    /// Committed batches.
    pub batches: u64,
    /// Writes in these batches.
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
    /// Counts a batch of so many committed writes.
    pub(crate) fn committed(&self, writes: usize) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.writes.fetch_add(writes as u64, Ordering::Relaxed);
    }

    /// Adds time for which the lane worked.
    pub(crate) fn worked(&self, time: std::time::Duration) {
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

/// What a store holds and has done.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StoreUsage {
    pub pool: PoolUsage,
    /// `None` on PostgreSQL, where writes share the pool.
    pub lane: Option<LaneUsage>,
    /// Transactions that this process committed.
    pub commits: u64,
    /// Snapshots of statuses.
    pub statuses: CacheUsage,
    /// Snapshots of accounts.
    pub accounts: CacheUsage,
}
