//! End of a poll: notifies its author and voters, each of them only once.

use serde::{Deserialize, Serialize};
use siskin_entities::NotificationKind;
use siskin_ids::{AccountId, PollId};
use siskin_persistence::{
    Tx,
    events::DomainEvent,
    notifications::Cause,
    polls as rows,
    statuses::{self, Target},
};

use crate::{
    Result,
    jobs::{self, Job},
    notifications,
};

/// Number of voters that are notified in one transaction, so that other writers do not wait for the
/// end of a popular poll.
pub const NOTIFY_BATCH: usize = 500;

/// Job that ends a poll at its time and notifies the accounts that have not been notified yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndPoll {
    pub poll: PollId,
    /// Last voter that was notified; `None` before the first.
    #[serde(default)]
    pub after: Option<AccountId>,
}

impl Job for EndPoll {
    const KIND: &'static str = "polls.end";
}

/// Runs one step of [`EndPoll`], and enqueues another job for the rest. Does nothing if the poll
/// was deleted, or if an edit moved its end, because the edit enqueued a job for the new end.
///
/// # Errors
/// Storage errors only.
pub fn end(tx: &mut Tx<'_>, job: &EndPoll) -> Result<()> {
    let Some(status) = rows::find(tx, job.poll)? else { return Ok(()) };
    if !statuses::lock_against_deletion(tx, status)? || !rows::lock(tx, job.poll)? {
        return Ok(());
    }
    let Some(poll) = rows::of_status(tx, status, None)? else { return Ok(()) };
    let Some(status) = statuses::locate(tx, status)? else { return Ok(()) };
    if !poll.is_over(tx.now()) {
        return Ok(());
    }
    rows::close(tx, job.poll)?;
    if job.after.is_none() {
        DomainEvent::StatusEdited(status.id).write(tx)?;
    }
    notify_some(tx, job, &status)
}

fn notify_some(tx: &mut Tx<'_>, job: &EndPoll, status: &Target) -> Result<()> {
    let limit = i64::try_from(NOTIFY_BATCH).unwrap_or(i64::MAX);
    let voters = rows::voters(tx, job.poll, job.after, limit)?;
    let mut recipients = voters.clone();
    if job.after.is_none() {
        recipients.push(status.account);
    }
    let new = rows::record_announcements(tx, job.poll, &recipients)?;
    let from = status.account;
    let ended = Cause::new(from, NotificationKind::Poll, Some(status.id));
    notifications::create(tx, ended, &new)?;
    match voters.last() {
        Some(last) if voters.len() == NOTIFY_BATCH => {
            jobs::enqueue(tx, &EndPoll { after: Some(*last), ..job.clone() })?;
            Ok(())
        }
        _ => Ok(()),
    }
}
