//! Room for every sort of job: what may wait long for something else never occupies the workers.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

/// What a kind of job waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lane {
    /// The database alone, so never for long. Runs in a worker.
    #[default]
    Own,
    /// Remote servers, which may be slow on purpose.
    Remote,
    /// The mail server.
    Mail,
    /// A processor, for a moment.
    Pictures,
    /// A processor, for minutes.
    Films,
}

impl Lane {
    /// Lists the lanes whose jobs run beside the workers, with the limit of jobs that run at once.
    /// Pictures and films: as many as `siskin_media` works on at once, so that a job is claimed only
    /// when it can start.
    const BESIDE: [(Self, usize); 4] = [
        (Self::Remote, 16),
        (Self::Mail, 2),
        (Self::Pictures, siskin_media::PICTURES_AT_ONCE),
        (Self::Films, siskin_media::FILMS_AT_ONCE),
    ];

    /// How long a job is held at most; after that another worker may take it up as well.
    pub(crate) const fn lease(self) -> Duration {
        match self {
            // Two looks, a conversion, a preview, and moving files to and from a bucket.
            Self::Films => Duration::from_secs(900),
            Self::Own | Self::Remote | Self::Mail | Self::Pictures => Duration::from_secs(300),
        }
    }
}

/// How many more jobs may run in each lane beside the workers.
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

    /// Waits until no job runs beside the workers; `false` if some still run after `patience`.
    pub(crate) async fn empty(&self, patience: Duration) -> bool {
        let all = async {
            for (_, places, free) in &self.beside {
                let places = u32::try_from(*places).unwrap_or(u32::MAX);
                // Never closed.
                drop(free.acquire_many(places).await);
            }
        };
        timeout(patience, all).await.is_ok()
    }
}

/// The lanes that a worker may take a job of.
pub(crate) struct Places {
    held: Vec<(Lane, OwnedSemaphorePermit)>,
}

impl Places {
    pub(crate) fn include(&self, lane: Lane) -> bool {
        lane == Lane::Own || self.held.iter().any(|(held, _)| *held == lane)
    }

    /// Gives up the other places; this one is free again when the result is dropped. `None` for
    /// what runs in a worker.
    pub(crate) fn only(self, lane: Lane) -> Option<OwnedSemaphorePermit> {
        self.held.into_iter().find(|(held, _)| *held == lane).map(|(_, place)| place)
    }
}
