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
    Own,
    /// Remote servers, which may be slow on purpose.
    Remote,
    /// The mail server.
    Mail,
    /// CPU time, for a moment.
    Pictures,
    /// CPU time, for minutes.
    Films,
}

impl Lane {
    /// Lanes that run beside the workers, with the maximum number of jobs that run at once. For
    /// pictures and films this is the limit of `siskin_media`, so that a job is claimed only when
    /// it can start.
    const BESIDE: [(Self, usize); 4] = [
        (Self::Remote, 16),
        (Self::Mail, 2),
        (Self::Pictures, siskin_media::PICTURES_AT_ONCE),
        (Self::Films, siskin_media::FILMS_AT_ONCE),
    ];

    /// Maximum time that a job is leased; after that another worker may claim it as well.
    pub(crate) const fn lease(self) -> Duration {
        match self {
            // Two probes, a conversion, a preview, and moving files to and from a bucket.
            Self::Films => Duration::from_secs(900),
            Self::Own | Self::Remote | Self::Mail | Self::Pictures => Duration::from_secs(300),
        }
    }
}

/// Free places in each lane that runs beside the workers.
pub(crate) struct Lanes {
    beside: [(Lane, usize, Arc<Semaphore>); 4],
}

impl Default for Lanes {
    fn default() -> Self {
        let lane = |(lane, places)| (lane, places, Arc::new(Semaphore::new(places)));
        Self { beside: Lane::BESIDE.map(lane) }
    }
}

impl Lanes {
    /// Takes a place in every lane that has one left.
    pub(crate) fn enter(&self) -> Places {
        let place = |(lane, _, free): &(Lane, usize, Arc<Semaphore>)| {
            Some((*lane, Arc::clone(free).try_acquire_owned().ok()?))
        };
        Places { held: self.beside.iter().filter_map(place).collect() }
    }

    /// Waits until no job runs beside the workers. Returns `false` if some still run after
    /// `patience`.
    pub(crate) async fn empty(&self, patience: Duration) -> bool {
        let all = async {
            for (_, places, free) in &self.beside {
                let places = u32::try_from(*places).unwrap_or(u32::MAX);
                // The semaphore is never closed.
                drop(free.acquire_many(places).await);
            }
        };
        timeout(patience, all).await.is_ok()
    }
}

/// Lanes from which a worker may claim a job.
pub(crate) struct Places {
    held: Vec<(Lane, OwnedSemaphorePermit)>,
}

impl Places {
    pub(crate) fn include(&self, lane: Lane) -> bool {
        lane == Lane::Own || self.held.iter().any(|(held, _)| *held == lane)
    }

    /// Releases the other places and returns the one of `lane`, which is released when the result
    /// is dropped. Returns `None` for jobs that run in a worker.
    pub(crate) fn only(self, lane: Lane) -> Option<OwnedSemaphorePermit> {
        self.held.into_iter().find(|(held, _)| *held == lane).map(|(_, place)| place)
    }
}
