//! The end of a poll: its author and those who voted are told, each once for ever.

use serde::{Deserialize, Serialize};
use siskin_entities::NotificationKind;
use siskin_ids::{AccountId, PollId, StatusId};
use siskin_persistence::{
    Tx,
    events::Happened,
    notifications,
    notifications::NewNotification,
    polls as rows,
    statuses::{self, Target},
};

use crate::{
    Result,
    jobs::{self, Job},
};

/// So many voters are told in one transaction: nobody waits for the end of a popular poll.
pub const TOLD_AT_ONCE: usize = 500;

/// The work of ending a poll at its time, and of telling those who have not been told yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndPoll {
    pub poll: PollId,
    /// The voter who was told last; None before anybody was.
    #[serde(default)]
    pub after: Option<AccountId>,
}

impl Job for EndPoll {
    const KIND: &'static str = "polls.end";
}

/// Does a part of [`EndPoll`] and leaves the rest as another job. Nothing is to do where the poll is
/// gone, and where it was opened anew: that left a job for its new end.
///
/// # Errors
/// Storage errors only.
pub fn end(tx: &mut Tx<'_>, job: &EndPoll) -> Result<()> {
    let Some(status) = rows::find(tx, job.poll)? else { return Ok(()) };
    if !statuses::hold(tx, status)? || !rows::lock(tx, job.poll)? {
        return Ok(());
    }
    let Some(poll) = rows::of_status(tx, status, None)? else { return Ok(()) };
    let Some(status) = statuses::locate(tx, status)? else { return Ok(()) };
    if !poll.is_over(tx.now()) {
        return Ok(());
    }
    rows::close(tx, job.poll)?;
    if job.after.is_none() {
        Happened::StatusEdited(status.id).write(tx)?;
    }
    tell_some(tx, job, &status)
}

fn tell_some(tx: &mut Tx<'_>, job: &EndPoll, status: &Target) -> Result<()> {
    let limit = i64::try_from(TOLD_AT_ONCE).unwrap_or(i64::MAX);
    let voters = rows::voters(tx, job.poll, job.after, limit)?;
    let mut people = voters.clone();
    if job.after.is_none() {
        people.push(status.account);
    }
    let new = rows::announced_now(tx, job.poll, &people)?;
    let news: Vec<_> =
        new.into_iter().map(|person| news(person, status.account, status.id)).collect();
    notifications::create(tx, &news)?;
    match voters.last() {
        Some(last) if voters.len() == TOLD_AT_ONCE => {
            jobs::enqueue(tx, &EndPoll { after: Some(*last), ..job.clone() })?;
            Ok(())
        }
        _ => Ok(()),
    }
}

fn news(recipient: AccountId, from: AccountId, status: StatusId) -> NewNotification {
    NewNotification { recipient, from, kind: NotificationKind::Poll, status: Some(status) }
}
