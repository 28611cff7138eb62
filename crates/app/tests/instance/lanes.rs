//! Jobs that wait for other servers, or for CPU time, leave workers for everything else. One
//! account or host leaves places for the others.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde::{Deserialize, Serialize};
use siskin_app::{App, Finish, Handlers, JobHandler, Lane, in_transaction, nothing_to_store};
use siskin_ids::AccountId;
use siskin_persistence::{Tx, jobs as rows, settings};
use siskin_services::{
    Result,
    jobs::{Job, TakesTurns, enqueue, enqueue_in_turn},
};
use siskin_test_support::both_engines;
use tokio::sync::Semaphore;

use crate::support::{TestClock, open, run, until};

const WORKERS: usize = 4;

/// Sends a request to a server that answers or one that does not.
#[derive(Serialize, Deserialize)]
struct RemoteJob {
    answers: bool,
}

impl Job for RemoteJob {
    const KIND: &'static str = "ask";
}

impl TakesTurns for RemoteJob {
    const PACE: Duration = Duration::from_secs(10);
}

/// Handler of `RemoteJob`. A server that does not answer does so once there is a permit.
#[derive(Clone)]
struct RemoteHandler {
    permits: Arc<Semaphore>,
    running: Arc<AtomicUsize>,
    answered: Arc<AtomicUsize>,
}

impl RemoteHandler {
    fn new() -> Self {
        Self {
            permits: Arc::new(Semaphore::new(0)),
            running: Arc::default(),
            answered: Arc::default(),
        }
    }
}

impl JobHandler for RemoteHandler {
    type Job = RemoteJob;

    const LANE: Lane = Lane::Remote;

    async fn run(&self, _: &App, job: RemoteJob) -> Result<Finish> {
        if job.answers {
            self.answered.fetch_add(1, Ordering::Relaxed);
        } else {
            self.running.fetch_add(1, Ordering::Relaxed);
            self.permits.acquire().await.unwrap().forget();
        }
        nothing_to_store()
    }
}

/// Video job that takes long.
#[derive(Serialize, Deserialize)]
struct VideoJob {}

impl Job for VideoJob {
    const KIND: &'static str = "film";
}

struct VideoHandler(Arc<Semaphore>);

impl JobHandler for VideoHandler {
    type Job = VideoJob;

    const LANE: Lane = Lane::Videos;

    async fn run(&self, _: &App, _: VideoJob) -> Result<Finish> {
        self.0.acquire().await.unwrap().forget();
        nothing_to_store()
    }
}

/// Picture job that takes a moment.
#[derive(Serialize, Deserialize)]
struct PictureJob {}

impl Job for PictureJob {
    const KIND: &'static str = "picture";
}

struct PictureHandler(Arc<AtomicUsize>);

impl JobHandler for PictureHandler {
    type Job = PictureJob;

    const LANE: Lane = Lane::Pictures;

    async fn run(&self, _: &App, _: PictureJob) -> Result<Finish> {
        self.0.fetch_add(1, Ordering::Relaxed);
        nothing_to_store()
    }
}

/// Records that it ran.
#[derive(Serialize, Deserialize)]
struct Marker {}

impl Job for Marker {
    const KIND: &'static str = "note";
}

fn store_marker(tx: &mut Tx<'_>, _: &Marker) -> Result<()> {
    Ok(settings::set(tx, "note", "noted")?)
}

fn enqueue_remote(tx: &mut Tx<'_>, owner: i64, host: &str, answers: bool) -> Result<()> {
    let (owner, address) = (AccountId::new(owner), format!("https://{host}/page"));
    enqueue_in_turn(tx, &RemoteJob { answers }, owner, Some(&address))?;
    Ok(())
}

fn due(app: &App) -> i64 {
    app.store().read(|conn| rows::counts(conn, app.now())).unwrap().due
}

both_engines! {
    fn unresponsive_servers_do_not_block_other_jobs(database: &TestDatabase) {
        run(async {
            let handler = RemoteHandler::new();
            let handlers = Handlers::new().with(handler.clone()).with(in_transaction(store_marker));
            let app = open(database, &TestClock::new(), handlers);
            let jobs = app.write(|tx| {
                for _ in 0..8 * WORKERS {
                    enqueue(tx, &RemoteJob { answers: false })?;
                }
                enqueue(tx, &Marker {})
            });
            jobs.await.unwrap();
            app.start(WORKERS);
            let stored = || app.store().read(settings::all).unwrap();
            until(|| stored().iter().any(|(key, _)| key == "note")).await;
            assert_eq!(due(&app), 8 * i64::try_from(WORKERS).unwrap());
            handler.permits.add_permits(8 * WORKERS);
            until(|| due(&app) == 0).await;
            tokio::time::timeout(Duration::from_secs(20), app.shutdown()).await.unwrap();
        });
    }

    fn one_account_or_host_leaves_slots_for_the_others(database: &TestDatabase) {
        run(async {
            let handler = RemoteHandler::new();
            let app = open(database, &TestClock::new(), Handlers::new().with(handler.clone()));
            let jobs = app.write(|tx| {
                for number in 0..30 {
                    // One account with many hosts, and many accounts with one host.
                    enqueue_remote(tx, 1, &format!("slow{number}.example"), false)?;
                    enqueue_remote(tx, 100 + number, "SLOW.example", false)?;
                }
                (0..20).try_for_each(|number| {
                    enqueue_remote(tx, 200 + number, &format!("quick{number}.example"), true)
                })
            });
            jobs.await.unwrap();
            app.start(WORKERS);
            let running = || handler.running.load(Ordering::Relaxed);
            until(|| handler.answered.load(Ordering::Relaxed) == 20 && running() == 3).await;
            tokio::time::sleep(Duration::from_millis(300)).await;
            assert_eq!(running(), 3, "one job of the account, two jobs of the host");
            handler.permits.add_permits(60);
            until(|| due(&app) == 0).await;
            app.shutdown().await;
        });
    }

    fn pictures_do_not_wait_for_videos(database: &TestDatabase) {
        run(async {
            let (videos, pictures) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicUsize::new(0)));
            let handlers = Handlers::new()
                .with(VideoHandler(Arc::clone(&videos)))
                .with(PictureHandler(Arc::clone(&pictures)));
            let app = open(database, &TestClock::new(), handlers);
            let jobs = app.write(|tx| {
                (0..6).try_for_each(|_| enqueue(tx, &VideoJob {}).map(drop))?;
                (0..6).try_for_each(|_| enqueue(tx, &PictureJob {}).map(drop))
            });
            jobs.await.unwrap();
            app.start(1);
            until(|| pictures.load(Ordering::Relaxed) == 6).await;
            until(|| due(&app) == 6).await;
            let released = app.write(|tx| Ok(rows::release_all(tx)?)).await.unwrap();
            assert_eq!(released, 1, "the other video jobs must not be claimed");
            videos.add_permits(7);
            until(|| due(&app) == 0).await;
            app.shutdown().await;
        });
    }
}
