//! Claims jobs and runs them: loads in a transaction, runs with no connection held, stores in a
//! transaction.

use std::{
    error::Error as StdError,
    sync::Arc,
    time::{Duration, Instant},
};

use siskin_persistence::jobs::{self as rows, Claim};
use siskin_services::{Error, Result, jobs};
use tokio::{
    sync::OwnedSemaphorePermit,
    time::{sleep, timeout},
};

use crate::{App, Outcome, jobs::Finish};

/// Interval at which a worker checks for jobs that have become due.
const PERIOD: Duration = Duration::from_secs(1);
const AFTER_ERROR: Duration = Duration::from_secs(1);
/// Longest wait of [`App::drain_jobs`].
const DRAIN_TIMEOUT: Duration = Duration::from_secs(60);

/// Runs one worker. Jobs of other lanes run beside it.
pub(crate) async fn run(app: App) {
    loop {
        let rest = match app.start_job().await {
            Ok(true) => Duration::ZERO,
            Ok(false) => PERIOD,
            Err(error) => {
                log_error("cannot claim a job, retrying later", &error);
                AFTER_ERROR
            }
        };
        let woken = app.inner.background.workers.notified();
        let rested = async {
            if !rest.is_zero() {
                let _ = timeout(rest, woken).await;
            }
        };
        if app.unless_stopped(rested).await.is_none() {
            return;
        }
    }
}

impl App {
    /// Runs all due jobs, and the jobs that these enqueue, until none is left. Tests call this
    /// before they check results.
    ///
    /// # Errors
    /// [`Error::Internal`] with the description of failed jobs, whether or not they would be
    /// retried, and if jobs are still due after a minute.
    pub async fn drain_jobs(&self) -> Result<()> {
        let start = Instant::now();
        loop {
            while self.run_job().await? {}
            let app = self.clone();
            let (due, failures) = self
                .read(move |conn| {
                    let failures = rows::failures(conn, 10)?;
                    // The time is read after the snapshot was taken, so a job that a worker has
                    // just enqueued counts as due.
                    Ok((rows::counts(conn, app.now())?.due, failures))
                })
                .await?;
            if due == 0 && failures.is_empty() {
                return Ok(());
            }
            if due == 0 {
                return Err(Error::internal(format!("jobs have failed: {failures:?}")));
            }
            if start.elapsed() > DRAIN_TIMEOUT {
                return Err(Error::internal(format!("{due} jobs are still due")));
            }
            sleep(Duration::from_millis(5)).await; // a worker has them
        }
    }

    /// Claims a job and runs it to its end. Returns `false` if none can start.
    async fn run_job(&self) -> Result<bool> {
        let Some((claim, _slot)) = self.claim_job().await? else { return Ok(false) };
        self.run_to_end(claim).await?;
        Ok(true)
    }

    /// Claims a job. Runs it to its end if it needs only the database; otherwise starts a task that
    /// does. Returns `false` if none can start.
    async fn start_job(&self) -> Result<bool> {
        let Some((claim, slot)) = self.claim_job().await? else { return Ok(false) };
        let Some(slot) = slot else {
            self.run_to_end(claim).await?;
            return Ok(true);
        };
        let app = self.clone();
        tokio::spawn(async move {
            if let Err(error) = app.run_to_end(claim).await {
                log::error!("cannot store the result of a job: {}", with_causes(&error));
            }
            drop(slot);
            // A worker may have checked before this place was free.
            app.inner.background.workers.notify_one();
        });
        Ok(true)
    }

    /// Claims a job of a lane that has room, with its place there. Returns `None` if none can
    /// start.
    async fn claim_job(&self) -> Result<Option<(Claim, Option<OwnedSemaphorePermit>)>> {
        let slots = self.inner.background.lanes.enter();
        let kinds = self.inner.handlers.kinds(|lane| slots.include(lane));
        let now = self.now();
        let open_kinds = Arc::clone(&kinds);
        if !self.read(move |conn| Ok(rows::any_due(conn, &open_kinds, now)?)).await? {
            return Ok(None);
        }
        let handlers = self.inner.handlers.clone();
        let lease = move |kind: &str| handlers.lane(kind).lease();
        let claim = self.write(move |tx| Ok(rows::claim(tx, &kinds, &lease)?)).await?;
        let Some(claim) = claim else { return Ok(None) };
        let slot = slots.only(self.inner.handlers.lane(&claim.kind));
        // There may be more due jobs, so wake the next worker.
        self.inner.background.workers.notify_one();
        Ok(Some((claim, slot)))
    }

    async fn run_to_end(&self, claim: Claim) -> Result<()> {
        let started = Instant::now();
        let run = self.run_claimed(&claim).await;
        self.record_run(&claim, run.is_ok(), started.elapsed());
        match run {
            Ok(()) => Ok(()),
            Err(error) => self.record_failure(claim, &error).await,
        }
    }

    fn record_run(&self, claim: &Claim, is_done: bool, took: Duration) {
        let outcome = if is_done {
            Outcome::Done
        } else if jobs::retry_at(self.now(), claim.attempts).is_some() {
            Outcome::Retry
        } else {
            Outcome::GivenUp
        };
        self.inner.background.runs.record(&claim.kind, outcome, took);
    }

    async fn run_claimed(&self, claim: &Claim) -> Result<()> {
        if claim.attempts > jobs::ATTEMPTS {
            return Err(Error::internal("the process terminated during every attempt"));
        }
        let finish = self.run_handler(claim).await?;
        let claim = claim.clone();
        self.write(move |tx| {
            finish(tx)?;
            Ok(rows::complete(tx, &claim)?)
        })
        .await
    }

    /// Runs the handler in a separate task, so that a panic ends the job and not the worker.
    async fn run_handler(&self, claim: &Claim) -> Result<Finish> {
        let handler = self.inner.handlers.get(&claim.kind);
        let handler = handler.ok_or_else(|| Error::internal("no handler for this job kind"))?;
        let running = handler.run_payload(self.clone(), claim.payload.clone());
        tokio::spawn(running).await.map_err(Error::internal)?
    }

    async fn record_failure(&self, claim: Claim, error: &Error) -> Result<()> {
        let message = with_causes(error);
        let retry_at = jobs::retry_at(self.now(), claim.attempts);
        let next = retry_at.map_or_else(|| "never".to_owned(), |at| at.to_string());
        log::warn!(
            "job failed: id={} kind={} attempt={} next={next} error={message:?}",
            claim.id,
            claim.kind,
            claim.attempts,
        );
        self.write(move |tx| Ok(rows::fail(tx, &claim, &message, retry_at)?)).await
    }
}

/// Logs an error of a background task. The store itself logs once that the database is unreachable.
pub(crate) fn log_error(what: &str, error: &Error) {
    if !matches!(error, Error::Unreachable(_)) {
        log::error!("{what}: {}", with_causes(error));
    }
}

/// Returns the error and its causes as one line for the log.
pub(crate) fn with_causes(error: &Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        message.push_str(": ");
        message.push_str(&error.to_string());
        cause = error.source();
    }
    message
}
