//! Publishes what was scheduled.

use siskin_services::{
    Result,
    statuses::{self, PublishScheduled},
};

use crate::{App, Finish, JobHandler};

/// Runs [`PublishScheduled`], which is one transaction and needs to know where the instance lives.
#[derive(Debug, Clone, Copy)]
pub struct ScheduledPublisher;

impl JobHandler for ScheduledPublisher {
    type Job = PublishScheduled;

    async fn run(&self, app: &App, job: PublishScheduled) -> Result<Finish> {
        let instance = app.instance().clone();
        Ok(Box::new(move |tx| statuses::publish_scheduled(tx, &instance, &job)))
    }
}
