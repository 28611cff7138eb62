//! Counts what trends, every few minutes.

use std::time::Duration;

use siskin_services::{
    Result,
    trends::count::{self, CountTrends},
};
use tokio::time::sleep;

use crate::{App, Finish, JobHandler, workers::log_error};

/// Delay of the first count, because the start of the server is busy.
const FIRST: Duration = Duration::from_secs(60);

/// Enqueues counts until the instance stops. Several processes may do this: only one count is
/// enqueued in each interval.
pub(crate) async fn run(app: App) {
    let mut pause = FIRST;
    while app.unless_stopped(sleep(pause)).await.is_some() {
        pause = count::INTERVAL;
        let settings = app.settings();
        let enqueued = app.write(move |tx| count::enqueue(tx, &settings)).await;
        if let Err(error) = enqueued {
            log_error("trends cannot be counted", &error);
        }
    }
}

/// Runs [`CountTrends`]. Counts in a read, so that the writer lane is held only for the result.
#[derive(Debug, Clone, Copy)]
pub struct TrendCounter;

impl JobHandler for TrendCounter {
    type Job = CountTrends;

    async fn run(&self, app: &App, _: CountTrends) -> Result<Finish> {
        let (settings, now) = (app.settings(), app.now());
        let trends = {
            let settings = settings.clone();
            app.read(move |conn| count::read(conn, &settings, now)).await?
        };
        Ok(Box::new(move |tx| count::store(tx, &settings, &trends)))
    }
}

impl App {
    /// Counts what trends now, without waiting for the next round.
    ///
    /// # Errors
    /// Storage errors only.
    pub async fn count_trends(&self) -> Result<()> {
        let store = TrendCounter.run(self, CountTrends {}).await?;
        self.write(move |tx| store(tx)).await
    }
}
