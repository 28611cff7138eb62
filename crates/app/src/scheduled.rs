//! Publishes scheduled statuses.

use siskin_services::{
    Result,
    statuses::{self, PublishScheduled},
};

use crate::{App, Finish, JobHandler};

/// Runs [`PublishScheduled`] in one transaction. It is not
/// [`in_transaction`](crate::in_transaction), because the use case needs the addresses of the
/// instance.
#[derive(Debug, Clone, Copy)]
pub struct ScheduledPublisher;

impl JobHandler for ScheduledPublisher {
    type Job = PublishScheduled;

    async fn run(&self, app: &App, job: PublishScheduled) -> Result<Finish> {
        let instance = app.instance().clone();
        Ok(Box::new(move |tx| statuses::publish_scheduled(tx, &instance, &job)))
    }
}
