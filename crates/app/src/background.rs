//! Background tasks of an instance, and their shutdown.

use std::{
    future::Future,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{Notify, watch},
    task::JoinHandle,
    time::timeout,
};

use crate::{App, clock, lanes::Lanes, relay, streams, trends, upkeep, usage::JobMeter, workers};

/// Maximum wait for a running job at shutdown. The lease of an unfinished job expires, and the job
/// runs again after the next start.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(20);

/// Background tasks of an instance, with the handles that wake and stop them.
pub(crate) struct Background {
    pub(crate) relay: Arc<Notify>,
    pub(crate) workers: Arc<Notify>,
    pub(crate) lanes: Lanes,
    pub(crate) runs: JobMeter,
    stop: watch::Sender<bool>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

impl Default for Background {
    fn default() -> Self {
        Self {
            relay: Arc::default(),
            workers: Arc::default(),
            lanes: Lanes::default(),
            runs: JobMeter::default(),
            stop: watch::Sender::new(false),
            tasks: Mutex::default(),
        }
    }
}

impl Background {
    /// Returns the callback that the store calls after every commit.
    pub(crate) fn waker(&self) -> impl Fn() + Send + Sync + 'static {
        let (relay, workers) = (Arc::clone(&self.relay), Arc::clone(&self.workers));
        move || {
            relay.notify_one();
            workers.notify_one();
        }
    }
}

impl App {
    /// Starts the event relay, the streams, the clock monitor, the upkeep, the count of trends and
    /// `workers` tasks that run jobs. With 0 workers, other processes run the jobs. Must be called
    /// once, inside a tokio runtime.
    pub fn start(&self, workers: usize) {
        self.spawn(streams::run(self.clone(), self.subscribe()));
        self.spawn(relay::run(self.clone()));
        self.spawn(upkeep::run(self.clone()));
        self.spawn(trends::run(self.clone()));
        self.spawn(clock::run(self.clone()));
        for _ in 0..workers {
            self.spawn(workers::run(self.clone()));
        }
    }

    /// Stops everything that [`App::start`] started. Waits a limited time for running jobs.
    pub async fn shutdown(&self) {
        self.close_streams();
        let background = &self.inner.background;
        background.stop.send_replace(true);
        let tasks =
            std::mem::take(&mut *background.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        for mut task in tasks {
            if timeout(SHUTDOWN_TIMEOUT, &mut task).await.is_err() {
                log::warn!("a background task did not end in time");
                task.abort();
            }
        }
        if !background.lanes.empty(SHUTDOWN_TIMEOUT).await {
            log::warn!("a job did not end in time");
        }
    }

    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.inner.background.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.push(tokio::spawn(task));
    }

    /// Waits for `event`. Returns `None` if the instance stops first.
    pub(crate) async fn unless_stopped<T>(&self, event: impl Future<Output = T>) -> Option<T> {
        let mut stop = self.inner.background.stop.subscribe();
        tokio::select! {
            biased;
            _ = stop.wait_for(|stopped| *stopped) => None,
            value = event => Some(value),
        }
    }
}
