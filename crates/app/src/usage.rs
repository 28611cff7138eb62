//! Usage of the instance, for metrics: store, caches, open streams and jobs.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use siskin_persistence::{CacheUsage, StoreUsage, jobs::Counts};
use siskin_services::Result;

use crate::{App, MailServerLookups};

/// How one run of a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    Done,
    /// The run failed, and the job will run again.
    Retry,
    /// The run failed for the last time.
    GivenUp,
}

impl Outcome {
    /// Returns the value of the metric label `outcome`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Retry => "retry",
            Self::GivenUp => "given_up",
        }
    }
}

/// Runs of jobs of one kind with the same outcome.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JobRuns {
    pub count: u64,
    /// Total duration of these runs.
    pub took: Duration,
}

/// Counts the runs of jobs since the process started.
#[derive(Debug, Default)]
pub(crate) struct JobMeter(Mutex<BTreeMap<(String, Outcome), JobRuns>>);

impl JobMeter {
    pub(crate) fn record(&self, kind: &str, outcome: Outcome, took: Duration) {
        let mut runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let runs = runs.entry((kind.to_owned(), outcome)).or_default();
        runs.count += 1;
        runs.took += took;
    }

    fn runs(&self) -> Vec<(String, Outcome, JobRuns)> {
        let runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        runs.iter().map(|((kind, outcome), runs)| (kind.clone(), *outcome, *runs)).collect()
    }
}

/// Current usage of the instance, and its job runs since the process started.
#[derive(Debug, Clone)]
pub struct Usage {
    pub store: StoreUsage,
    /// Open streams of this process.
    pub streams: usize,
    /// Runs of jobs in this process, by kind and outcome.
    pub runs: Vec<(String, Outcome, JobRuns)>,
    /// Jobs in the database, by kind.
    pub jobs: Vec<(String, Counts)>,
    /// Usage of each cache, with its name.
    pub caches: Vec<(&'static str, CacheUsage)>,
    /// Lookups of mail servers by this process.
    pub mail_server_lookups: MailServerLookups,
}

impl App {
    /// Returns the usage of the instance. Reads the job table.
    ///
    /// # Errors
    /// Storage errors only.
    pub async fn usage(&self) -> Result<Usage> {
        let now = self.now();
        let jobs =
            self.read(move |conn| Ok(siskin_persistence::jobs::counts_by_kind(conn, now)?)).await?;
        let store = self.inner.store.usage();
        Ok(Usage {
            store,
            streams: self.open_streams(),
            runs: self.inner.background.runs.runs(),
            jobs,
            caches: vec![
                ("statuses", store.statuses),
                ("accounts", store.accounts),
                ("relations", store.relations),
                ("callers", self.inner.callers.lookups.usage()),
                ("filters", self.inner.filters.lookups.usage()),
                ("documents", self.inner.documents.lookups.usage()),
            ],
            mail_server_lookups: self.inner.mail_server_lookups.counts(),
        })
    }
}
