//! The time of a scheduled status has come: it is published, once, as if its author had done it now.
//!
//! Where that cannot be done, it stays among the scheduled ones with its time past, so that no word
//! is lost and nothing is published that its author did not mean: not an answer without what it
//! answers, and nothing of somebody who may not write. It is not tried again by itself.

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
    authentication::Standing,
    jobs::{self, Job},
};

/// The work of publishing a scheduled status at its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishScheduled {
    pub scheduled: ScheduledStatusId,
}

impl Job for PublishScheduled {
    const KIND: &'static str = "statuses.publish_scheduled";
}

/// Leaves that work as a job for this time.
pub(super) fn publish_at(tx: &mut Tx<'_>, id: ScheduledStatusId, at: Timestamp) -> Result<()> {
    jobs::enqueue_at(tx, &PublishScheduled { scheduled: id }, at)?;
    Ok(())
}

/// Takes back the job for this time.
pub(super) fn publish_no_more(tx: &mut Tx<'_>, id: ScheduledStatusId, at: Timestamp) -> Result<()> {
    jobs::withdraw(tx, &PublishScheduled { scheduled: id }, at)
}

/// Publishes a scheduled status whose time has come. Nothing is to do where it is gone, or published
/// already, and where it was put off: that left a job for its new time.
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
        Err(why) => return keep_back(&scheduled, why),
    };
    let admitted = match publish::admit(tx, scheduled.account, &prepared, Some(scheduled.id)) {
        Ok(admitted) => admitted,
        Err(why) => return keep_back(&scheduled, why),
    };
    match publish::publish(tx, instance, scheduled.account, id, &prepared, &admitted) {
        Ok(()) => {}
        Err(why @ Error::UnexpectedMentions(_)) => return keep_back(&scheduled, why),
        Err(error) => return Err(error),
    }
    idempotency::pass_on(tx, scheduled.account, scheduled.id, id)?;
    Ok(rows::remove(tx, scheduled.id)?)
}

fn prepare_due(conn: &mut Conn, scheduled: &ScheduledStatus) -> Result<Prepared> {
    require_good_standing(conn, scheduled.account)?;
    prepare_scheduled(scheduled, scheduled.attachments.iter().map(|media| media.id).collect())
}

/// Leaves it where it is, unless it is a fault of ours that it was not published. Nothing has been
/// written yet.
fn keep_back(scheduled: &ScheduledStatus, why: Error) -> Result<()> {
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
    log::info!("a scheduled status is kept back: id={} why={why}", scheduled.id);
    Ok(())
}

/// The scheduled statuses whose time is yet to come at `now` and for which no job is left: nobody
/// would publish them.
///
/// # Errors
/// Storage errors, and a job that is none.
pub fn forgotten(conn: &mut Conn, now: Timestamp) -> Result<Vec<ScheduledStatusId>> {
    let mut planned = HashSet::new();
    for payload in job_rows::payloads(conn, PublishScheduled::KIND)? {
        planned.insert(jobs::read::<PublishScheduled>(&payload)?.scheduled);
    }
    let waiting = rows::waiting(conn, now)?.into_iter();
    Ok(waiting.filter(|id| !planned.contains(id)).collect())
}

/// Leaves the job that publishes a scheduled status again. Nothing is to do where that is gone.
///
/// # Errors
/// Storage errors only.
pub fn remember(tx: &mut Tx<'_>, id: ScheduledStatusId) -> Result<()> {
    match rows::take(tx, id)? {
        Some(scheduled) => publish_at(tx, id, scheduled.at),
        None => Ok(()),
    }
}

/// What every request asks of who sends it.
fn require_good_standing(conn: &mut Conn, account: AccountId) -> Result<()> {
    let person = users::addressee(conn, account)?.ok_or(Error::NotFound)?.owner;
    Standing::of(person.confirmed, person.approved, person.disabled, person.suspended)
        .require_good()
}
