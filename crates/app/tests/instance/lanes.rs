//! What waits for strangers leaves workers for everything else.

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use siskin_app::{App, Finish, Handlers, JobHandler, Lane, in_transaction, nothing_to_store};
use siskin_persistence::{Tx, jobs as rows, settings};
use siskin_services::{
    Result,
    jobs::{Job, enqueue},
};
use siskin_test_support::both_engines;
use tokio::sync::Semaphore;

use crate::support::{Hands, open, run, until};

const WORKERS: usize = 4;

/// Asks somebody who does not answer.
#[derive(Serialize, Deserialize)]
struct Ask {}

impl Job for Ask {
    const KIND: &'static str = "ask";
}

/// They answer once there is a permit.
struct Asking(Arc<Semaphore>);

impl JobHandler for Asking {
    type Job = Ask;

    const LANE: Lane = Lane::Strangers;

    async fn run(&self, _: &App, _: Ask) -> Result<Finish> {
        self.0.acquire().await.unwrap().forget();
        nothing_to_store()
    }
}

/// Notes that it ran.
#[derive(Serialize, Deserialize)]
struct Note {}

impl Job for Note {
    const KIND: &'static str = "note";
}

fn note(tx: &mut Tx<'_>, _: &Note) -> Result<()> {
    Ok(settings::set(tx, "note", "noted")?)
}

both_engines! {
    fn strangers_who_do_not_answer_keep_nothing_waiting(database: &TestDatabase) {
        run(async {
            let answers = Arc::new(Semaphore::new(0));
            let handlers = Handlers::new()
                .with(Asking(Arc::clone(&answers)))
                .with(in_transaction(note));
            let app = open(database, &Hands::new(), handlers);
            let jobs = app.write(|tx| {
                for _ in 0..3 * WORKERS {
                    enqueue(tx, &Ask {})?;
                }
                enqueue(tx, &Note {})
            });
            jobs.await.unwrap();
            app.start(WORKERS);
            let stored = || app.store().read(settings::all).unwrap();
            let noted = || stored().iter().any(|(key, _)| key == "note");
            until(noted).await;
            let due = || app.store().read(|conn| rows::counts(conn, app.now())).unwrap().due;
            assert_eq!(due(), 3 * i64::try_from(WORKERS).unwrap());
            answers.add_permits(3 * WORKERS);
            until(|| due() == 0).await;
            tokio::time::timeout(Duration::from_secs(20), app.shutdown()).await.unwrap();
        });
    }
}
