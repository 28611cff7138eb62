//! Maintains feeds in the background, after the requests that read them.

use siskin_services::{
    Result,
    feeds::{self, BuildFeed, Seen, TendFeeds},
};

use crate::{App, Finish, JobHandler, nothing_to_store};

impl App {
    /// Runs the maintenance that a feed needs. Runs in the background, so the request that read the
    /// feed does not wait. After a failure, the next read tries again.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn tend_feed(&self, seen: Seen) {
        if seen.care(self.now()).is_none() {
            return;
        }
        let app = self.clone();
        drop(tokio::spawn(async move {
            let tended = app.write(move |tx| feeds::tend(tx, seen.feed)).await;
            if let Err(error) = tended {
                log::warn!("cannot rebuild a feed: feed={} error={error:?}", seen.feed.id());
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
        let (asked, now) = (job.clone(), app.now());
        match app.read(move |conn| feeds::build(conn, &asked, now)).await? {
            Some(built) => Ok(Box::new(move |tx| feeds::keep(tx, &job, &built))),
            None => nothing_to_store(),
        }
    }
}

/// Finds feeds that have grown too long, and trims them.
#[derive(Debug, Clone, Copy)]
pub struct FeedTender;

impl JobHandler for FeedTender {
    type Job = TendFeeds;

    async fn run(&self, app: &App, _: TendFeeds) -> Result<Finish> {
        let overgrown = app.read(feeds::overgrown).await?;
        Ok(Box::new(move |tx| feeds::tend_some(tx, &overgrown)))
    }
}
