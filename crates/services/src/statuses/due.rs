//! Publishes a scheduled status at its time, once, as if its author posted it now.
//!
//! If that is impossible, the status stays among the scheduled ones with its time in the past. So
//! no text is lost, and nothing is published that its author did not intend: no reply without its
//! parent, and no status of an account that may not post. It is not retried automatically.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use siskin_entities::{ScheduledStatus, Timestamp};
use siskin_ids::{AccountId, ScheduledStatusId, StatusId};
use siskin_persistence::{Conn, Tx, idempotency, jobs as job_rows, scheduled as rows, users};

use super::{
    draft::{Prepared, prepare_scheduled},
    publish,
};
use crate::{
    Error, Instance, Result,
    authentication::UserState,
    jobs::{self, Job},
};

/// Job that publishes a scheduled status at its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishScheduled {
    pub scheduled: ScheduledStatusId,
}

impl Job for PublishScheduled {
    const KIND: &'static str = "statuses.publish_scheduled";
}

/// Enqueues the job for this time.
pub(super) fn enqueue_publishing(
    tx: &mut Tx<'_>,
    id: ScheduledStatusId,
    at: Timestamp,
) -> Result<()> {
    jobs::enqueue_at(tx, &PublishScheduled { scheduled: id }, at)?;
    Ok(())
}

/// Removes the job for this time.
pub(super) fn cancel_publishing(
    tx: &mut Tx<'_>,
    id: ScheduledStatusId,
    at: Timestamp,
) -> Result<()> {
    jobs::withdraw(tx, &PublishScheduled { scheduled: id }, at)
}

/// Publishes a scheduled status that is due. Does nothing if it was deleted or already published.
/// Does nothing either if it was postponed, because the change enqueued a job for the new time.
///
/// # Errors
/// Storage errors only.
pub fn publish_scheduled(
    tx: &mut Tx<'_>,
    instance: &Instance,
    job: &PublishScheduled,
) -> Result<()> {
    let Some(scheduled) = rows::take(tx, job.scheduled)? else { return Ok(()) };
    if scheduled.at > tx.now() {
        return Ok(());
    }
    let id = StatusId::new(tx.next_id());
    let prepared = match prepare_due(tx, &scheduled) {
        Ok(prepared) => prepared,
        Err(why) => return keep_scheduled(&scheduled, why),
    };
    let admitted = match publish::admit(tx, scheduled.account, &prepared, Some(scheduled.id)) {
        Ok(admitted) => admitted,
        Err(why) => return keep_scheduled(&scheduled, why),
    };
    match publish::publish(tx, instance, scheduled.account, id, &prepared, admitted) {
        Ok(()) => {}
        // Refused because of its mentions, before anything was written.
        Err(why @ (Error::UnexpectedMentions(_) | Error::Invalid(_))) => {
            return keep_scheduled(&scheduled, why);
        }
        Err(error) => return Err(error),
    }
    idempotency::pass_on(tx, scheduled.account, scheduled.id, id)?;
    Ok(rows::remove(tx, scheduled.id)?)
}

fn prepare_due(conn: &mut Conn, scheduled: &ScheduledStatus) -> Result<Prepared> {
    require_active_author(conn, scheduled.account)?;
    prepare_scheduled(scheduled, scheduled.attachments.iter().map(|media| media.id).collect())
}

/// Keeps the scheduled status if publishing was refused. Returns other errors, which are failures
/// of the server. Nothing has been written yet.
fn keep_scheduled(scheduled: &ScheduledStatus, why: Error) -> Result<()> {
    let is_refusal = matches!(
        why,
        Error::NotFound
            | Error::Forbidden(_)
            | Error::Invalid(_)
            | Error::InvalidFields(_)
            | Error::UnexpectedMentions(_)
    );
    if !is_refusal {
        return Err(why);
    }
    log::info!("a scheduled status was rejected: id={} why={why}", scheduled.id);
    Ok(())
}

/// Returns the scheduled statuses that are due after `now` but have no job that would publish them.
///
/// # Errors
/// Storage errors, and a job that cannot be parsed.
pub fn without_job(conn: &mut Conn, now: Timestamp) -> Result<Vec<ScheduledStatusId>> {
    let mut with_job = HashSet::new();
    for payload in job_rows::payloads(conn, PublishScheduled::KIND)? {
        with_job.insert(jobs::read::<PublishScheduled>(&payload)?.scheduled);
    }
    let waiting = rows::waiting(conn, now)?.into_iter();
    Ok(waiting.filter(|id| !with_job.contains(id)).collect())
}

/// Enqueues the job for a scheduled status again. Does nothing if the status does not exist.
///
/// # Errors
/// Storage errors only.
pub fn enqueue_again(tx: &mut Tx<'_>, id: ScheduledStatusId) -> Result<()> {
    match rows::take(tx, id)? {
        Some(scheduled) => enqueue_publishing(tx, id, scheduled.at),
        None => Ok(()),
    }
}

/// Checks that the author may act, as every request does for its caller.
fn require_active_author(conn: &mut Conn, account: AccountId) -> Result<()> {
    let user = users::recipient(conn, account)?.ok_or(Error::NotFound)?.owner;
    UserState::of(user.confirmed, user.approved, user.disabled, user.suspended).require_active()
}
