//! Maintains feeds in the background, after the requests that read them.

use siskin_services::{
    Result,
    feeds::{self, BuildFeed, FeedRead, MaintainFeeds},
};

use crate::{App, Finish, JobHandler, nothing_to_store};

impl App {
    /// Runs the maintenance that a feed needs. Runs in the background, so the request that read the
    /// feed does not wait. After a failure, the next read tries again.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn maintain_feed(&self, feed_read: FeedRead) {
        if feed_read.maintenance(self.now()).is_none() {
            return;
        }
        let app = self.clone();
        drop(tokio::spawn(async move {
            let maintained = app.write(move |tx| feeds::maintain(tx, feed_read.feed)).await;
            if let Err(error) = maintained {
                log::warn!("cannot rebuild a feed: feed={} error={error:?}", feed_read.feed.id());
            }
        }));
    }
}

/// Builds feeds: reads in one snapshot, and stores the entries in a separate transaction.
#[derive(Debug, Clone, Copy)]
pub struct FeedBuilder;

impl JobHandler for FeedBuilder {
    type Job = BuildFeed;

    async fn run(&self, app: &App, job: BuildFeed) -> Result<Finish> {
        let request = job.clone();
        match app.read(move |conn| feeds::build(conn, &request)).await? {
            Some(built) => Ok(Box::new(move |tx| feeds::store(tx, &job, &built))),
            None => nothing_to_store(),
        }
    }
}

/// Finds feeds that have grown too long, and trims them.
#[derive(Debug, Clone, Copy)]
pub struct FeedMaintainer;

impl JobHandler for FeedMaintainer {
    type Job = MaintainFeeds;

    async fn run(&self, app: &App, _: MaintainFeeds) -> Result<Finish> {
        let overgrown = app.read(feeds::overgrown).await?;
        Ok(Box::new(move |tx| feeds::maintain_some(tx, &overgrown)))
    }
}
