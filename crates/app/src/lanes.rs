//! Room for every sort of work: what may wait long for something else never has all workers.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What a kind of job may wait for while it holds a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lane {
    /// The database alone, so never for long.
    #[default]
    Own,
    /// Servers of strangers, which may be slow on purpose.
    Strangers,
    /// The few turns at what takes all of a processor.
    Media,
}

/// How many more workers may be in each lane.
pub(crate) struct Lanes {
    strangers: Arc<Semaphore>,
    media: Arc<Semaphore>,
}

impl Default for Lanes {
    /// One each, for whoever runs jobs without workers.
    fn default() -> Self {
        Self { strangers: Arc::new(Semaphore::new(1)), media: Arc::new(Semaphore::new(1)) }
    }
}

impl Lanes {
    /// Makes room for this many workers in all: a quarter for strangers, half for media.
    pub(crate) fn widen(&self, workers: usize) {
        self.strangers.add_permits((workers / 4).saturating_sub(1));
        self.media.add_permits((workers / 2).saturating_sub(1));
    }

    /// A place in every lane that has one left.
    pub(crate) fn enter(&self) -> Places {
        let place = |lane: &Arc<Semaphore>| Arc::clone(lane).try_acquire_owned().ok();
        Places { strangers: place(&self.strangers), media: place(&self.media) }
    }
}

/// The lanes that a worker may take a job of.
pub(crate) struct Places {
    strangers: Option<OwnedSemaphorePermit>,
    media: Option<OwnedSemaphorePermit>,
}

impl Places {
    pub(crate) fn include(&self, lane: Lane) -> bool {
        match lane {
            Lane::Own => true,
            Lane::Strangers => self.strangers.is_some(),
            Lane::Media => self.media.is_some(),
        }
    }

    /// Gives up the others; the place is free again when the answer is dropped.
    pub(crate) fn only(self, lane: Lane) -> Option<OwnedSemaphorePermit> {
        match lane {
            Lane::Own => None,
            Lane::Strangers => self.strangers,
            Lane::Media => self.media,
        }
    }
}
