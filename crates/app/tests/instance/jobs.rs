//! Jobs run once they are committed, are retried when they fail, and do no harm to others.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use serde::{Deserialize, Serialize};
use siskin_app::{App, Finish, Handlers, JobHandler, in_transaction};
use siskin_persistence::{Tx, jobs as rows, settings};
use siskin_services::{
    Error, Result,
    jobs::{ATTEMPTS, Job, enqueue},
};
use siskin_test_support::both_engines;

use crate::support::{TestClock, open, run, until};

/// Stores its name as a setting, which is the simplest row there is.
#[derive(Serialize, Deserialize)]
struct StoreName {
    name: String,
}

impl Job for StoreName {
    const KIND: &'static str = "note";
}

fn store_name(tx: &mut Tx<'_>, job: &StoreName) -> Result<()> {
    settings::set(tx, &job.name, "noted")?;
    if job.name == "first" {
        enqueue(tx, &StoreName { name: "second".to_owned() })?;
    }
    Ok(())
}

/// Fails or panics in its first `failures` attempts.
#[derive(Serialize, Deserialize)]
struct Flaky {
    failures: u32,
    panics: bool,
}

impl Job for Flaky {
    const KIND: &'static str = "flaky";
}

#[derive(Default)]
struct FlakyHandler {
    attempts: Arc<AtomicU32>,
}

impl JobHandler for FlakyHandler {
    type Job = Flaky;

    async fn run(&self, app: &App, job: Flaky) -> Result<Finish> {
        app.read(|_| Ok(())).await?;
        let attempt = self.attempts.fetch_add(1, Ordering::SeqCst) + 1;
        assert!(!(job.panics && attempt <= job.failures), "on purpose");
        if attempt <= job.failures {
            return Err(Error::internal("not yet"));
        }
        Ok(Box::new(|tx| Ok(settings::set(tx, "flaky", "done")?)))
    }
}

fn handlers(flaky_handler: FlakyHandler) -> Handlers {
    Handlers::new().with(in_transaction(store_name)).with(flaky_handler)
}

async fn stored_names(app: &App) -> Vec<String> {
    let all = app.read(|conn| Ok(settings::all(conn)?)).await.unwrap();
    all.into_iter().map(|(key, _)| key).collect()
}

async fn enqueue_job(app: &App, job: impl Job + Send + Sync + 'static) {
    app.write(move |tx| enqueue(tx, &job)).await.unwrap();
}

both_engines! {
    fn a_job_runs_right_after_its_commit(database: &TestDatabase) {
        run(async {
            let app = open(database, &TestClock::new(), handlers(FlakyHandler::default()));
            app.start(2);
            enqueue_job(&app, StoreName { name: "first".to_owned() }).await;
            let took = until(|| {
                app.store().read(settings::all).unwrap().len() == 2
            }).await;
            assert!(took < Duration::from_millis(900), "started by the timer: {took:?}");
            app.shutdown().await;
        });
    }

    fn draining_runs_jobs_that_jobs_enqueue(database: &TestDatabase) {
        run(async {
            let app = open(database, &TestClock::new(), handlers(FlakyHandler::default()));
            enqueue_job(&app, StoreName { name: "first".to_owned() }).await;
            app.drain_jobs().await.unwrap();
            assert_eq!(stored_names(&app).await, ["first", "second"]);
        });
    }

    fn many_jobs_run_once_each(database: &TestDatabase) {
        run(async {
            let app = open(database, &TestClock::new(), handlers(FlakyHandler::default()));
            app.start(4);
            for number in 0..50 {
                enqueue_job(&app, StoreName { name: format!("{number:02}") }).await;
            }
            app.drain_jobs().await.unwrap();
            assert_eq!(stored_names(&app).await.len(), 50);
            app.shutdown().await;
        });
    }

    fn a_failed_job_is_retried_later_and_fails_a_drain(database: &TestDatabase) {
        run(async {
            let (clock, flaky_handler) = (TestClock::new(), FlakyHandler::default());
            let attempts = Arc::clone(&flaky_handler.attempts);
            let app = open(database, &clock, handlers(flaky_handler));
            enqueue_job(&app, Flaky { failures: 1, panics: false }).await;
            let story = format!("{:?}", app.drain_jobs().await.unwrap_err());
            assert!(story.contains("not yet"), "{story}");
            assert_eq!(attempts.load(Ordering::SeqCst), 1, "not before its time");
            clock.forward(Duration::from_secs(11));
            app.drain_jobs().await.unwrap();
            assert_eq!(stored_names(&app).await, ["flaky"]);
        });
    }

    fn a_panic_ends_the_attempt_and_not_the_worker(database: &TestDatabase) {
        run(async {
            let clock = TestClock::new();
            let app = open(database, &clock, handlers(FlakyHandler::default()));
            app.start(1);
            enqueue_job(&app, Flaky { failures: 1, panics: true }).await;
            let failed = || !app.store().read(|conn| rows::failures(conn, 1)).unwrap().is_empty();
            until(failed).await;
            clock.forward(Duration::from_secs(11));
            enqueue_job(&app, StoreName { name: "after".to_owned() }).await;
            app.drain_jobs().await.unwrap();
            assert_eq!(stored_names(&app).await, ["after", "flaky"]);
            app.shutdown().await;
        });
    }

    fn a_job_that_always_fails_becomes_a_dead_letter(database: &TestDatabase) {
        run(async {
            let (clock, flaky_handler) = (TestClock::new(), FlakyHandler::default());
            let attempts = Arc::clone(&flaky_handler.attempts);
            let app = open(database, &clock, handlers(flaky_handler));
            enqueue_job(&app, Flaky { failures: u32::MAX, panics: false }).await;
            for _ in 0..ATTEMPTS + 3 {
                assert!(app.drain_jobs().await.is_err());
                clock.forward(Duration::from_secs(7 * 3600));
            }
            assert_eq!(attempts.load(Ordering::SeqCst), ATTEMPTS);
            let failures = app.read(|conn| Ok(rows::failures(conn, 10)?)).await.unwrap();
            assert_eq!(failures.len(), 1);
            assert!(failures[0].dead_at.is_some());
        });
    }
}
