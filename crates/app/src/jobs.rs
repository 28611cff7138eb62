//! Job handlers, by kind of job.

use std::{collections::BTreeMap, fmt, future::Future, pin::Pin, sync::Arc};

use siskin_persistence::Tx;
use siskin_services::{
    Result,
    jobs::{self, Job},
};

use crate::{App, Lane};

/// Stores the result of a job, in the transaction that completes it; may run more than once.
pub type Finish = Box<dyn Fn(&mut Tx<'_>) -> Result<()> + Send>;

/// Runs one kind of job.
pub trait JobHandler: Send + Sync + 'static {
    /// Type of the jobs.
    type Job: Job + Send + 'static;

    /// Lane of the jobs: the resource that they may wait for.
    const LANE: Lane = Lane::Database;

    /// Loads what the job needs (`app.read`), does the work with no connection held, and returns
    /// the function that stores the result. A job runs at least once, so a second run must do no
    /// harm.
    ///
    /// After an error or a panic the job is put back and retried later. If a retry makes no sense
    /// (the status was deleted), return [`nothing_to_store`].
    fn run(&self, app: &App, job: Self::Job) -> impl Future<Output = Result<Finish>> + Send;
}

/// Result of a job that stores nothing.
///
/// # Errors
/// None.
pub fn nothing_to_store() -> Result<Finish> {
    Ok(Box::new(|_| Ok(())))
}

/// Returns a handler for a kind of job that consists of one transaction.
pub fn in_transaction<J: Job + Send + 'static>(
    apply: fn(&mut Tx<'_>, &J) -> Result<()>,
) -> impl JobHandler<Job = J> {
    InTransaction { apply }
}

struct InTransaction<J> {
    apply: fn(&mut Tx<'_>, &J) -> Result<()>,
}

impl<J: Job + Send + 'static> JobHandler for InTransaction<J> {
    type Job = J;

    async fn run(&self, _: &App, job: J) -> Result<Finish> {
        let apply = self.apply;
        Ok(Box::new(move |tx| apply(tx, &job)))
    }
}

/// Handlers of an instance, one for each kind of job.
#[derive(Clone, Default)]
pub struct Handlers {
    by_kind: BTreeMap<&'static str, Arc<dyn AnyHandler>>,
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.by_kind.keys()).finish()
    }
}

impl Handlers {
    /// Creates an empty set: other processes run the jobs.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `handler`, or replaces the handler for the same kind.
    #[must_use]
    pub fn with<H: JobHandler>(mut self, handler: H) -> Self {
        self.by_kind.insert(H::Job::KIND, Arc::new(handler));
        self
    }

    /// Returns the kinds with lanes that are `open`.
    pub(crate) fn kinds(&self, open: impl Fn(Lane) -> bool) -> Arc<[&'static str]> {
        let kinds = self.by_kind.iter().filter(|(_, handler)| open(handler.lane()));
        kinds.map(|(kind, _)| *kind).collect()
    }

    pub(crate) fn lane(&self, kind: &str) -> Lane {
        self.by_kind.get(kind).map_or(Lane::Database, |handler| handler.lane())
    }

    pub(crate) fn get(&self, kind: &str) -> Option<Arc<dyn AnyHandler>> {
        self.by_kind.get(kind).cloned()
    }
}

type Running = Pin<Box<dyn Future<Output = Result<Finish>> + Send>>;

/// Type-erased [`JobHandler`]: callers know its kind only by name.
pub(crate) trait AnyHandler: Send + Sync {
    fn lane(&self) -> Lane;
    fn run_payload(self: Arc<Self>, app: App, payload: String) -> Running;
}

impl<H: JobHandler> AnyHandler for H {
    fn lane(&self) -> Lane {
        H::LANE
    }

    fn run_payload(self: Arc<Self>, app: App, payload: String) -> Running {
        Box::pin(async move {
            let job = jobs::read(&payload)?;
            self.run(&app, job).await
        })
    }
}
