//! Lanes limit how many jobs of one sort run at once. Jobs that may wait long never occupy the
//! workers.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

/// Resource that a kind of job waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lane {
    /// The database only, so never for long. The job runs in a worker.
    #[default]
    Database,
    /// Remote servers, which may be slow on purpose.
    Remote,
    /// Push services. Clients choose them, so they may be slow on purpose, too.
    Push,
    /// The mail server.
    Mail,
    /// CPU time, for a moment.
    Pictures,
    /// CPU time, for minutes.
    Videos,
    /// CPU time, for seconds, and in no hurry.
    Keys,
    /// The disk or the bucket with the files, for a while.
    Files,
}

impl Lane {
    /// Lanes that run beside the workers, with the maximum number of jobs that run at once. For
    /// pictures and films this is the limit of `siskin_media`, so that a job is claimed only when
    /// it can start.
    const BESIDE: [(Self, usize); 7] = [
        (Self::Remote, 16),
        (Self::Push, 16),
        (Self::Mail, 2),
        (Self::Pictures, siskin_media::PICTURES_AT_ONCE),
        (Self::Videos, siskin_media::VIDEOS_AT_ONCE),
        (Self::Keys, 1),
        (Self::Files, 1),
    ];

    /// Maximum time that a job is leased; after that another worker may claim it as well.
    pub(crate) const fn lease(self) -> Duration {
        match self {
            // Two probes, a conversion, a preview, and moving files to and from a bucket. Or copying
            // a large file.
            Self::Videos | Self::Files => Duration::from_secs(900),
            Self::Database
            | Self::Remote
            | Self::Push
            | Self::Mail
            | Self::Pictures
            | Self::Keys => Duration::from_secs(300),
        }
    }
}

/// Free places in each lane that runs beside the workers.
pub(crate) struct Lanes {
    beside: [(Lane, usize, Arc<Semaphore>); 7],
}

impl Default for Lanes {
    fn default() -> Self {
        let lane = |(lane, slots)| (lane, slots, Arc::new(Semaphore::new(slots)));
        Self { beside: Lane::BESIDE.map(lane) }
    }
}

impl Lanes {
    /// Takes a place in every lane that has one left.
    pub(crate) fn enter(&self) -> LaneSlots {
        let slot = |(lane, _, free): &(Lane, usize, Arc<Semaphore>)| {
            Some((*lane, Arc::clone(free).try_acquire_owned().ok()?))
        };
        LaneSlots { acquired: self.beside.iter().filter_map(slot).collect() }
    }

    /// Waits until no job runs beside the workers. Returns `false` if some still run after
    /// `max_wait`.
    pub(crate) async fn empty(&self, max_wait: Duration) -> bool {
        let all = async {
            for (_, slots, free) in &self.beside {
                let slots = u32::try_from(*slots).unwrap_or(u32::MAX);
                // The semaphore is never closed.
                drop(free.acquire_many(slots).await);
            }
        };
        timeout(max_wait, all).await.is_ok()
    }
}

/// Lanes from which a worker may claim a job.
pub(crate) struct LaneSlots {
    acquired: Vec<(Lane, OwnedSemaphorePermit)>,
}

impl LaneSlots {
    pub(crate) fn include(&self, lane: Lane) -> bool {
        lane == Lane::Database || self.acquired.iter().any(|(acquired, _)| *acquired == lane)
    }

    /// Releases the other places and returns the one of `lane`, which is released when the result
    /// is dropped. Returns `None` for jobs that run in a worker.
    pub(crate) fn only(self, lane: Lane) -> Option<OwnedSemaphorePermit> {
        self.acquired.into_iter().find(|(acquired, _)| *acquired == lane).map(|(_, slot)| slot)
    }
}
