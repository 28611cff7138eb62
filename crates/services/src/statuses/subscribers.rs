//! Notifies followers that subscribed to an author of new statuses.

use serde::{Deserialize, Serialize};
use siskin_entities::NotificationKind;
use siskin_ids::{AccountId, FollowId, StatusId};
use siskin_persistence::{
    Tx,
    notifications::Cause,
    statuses::{self as rows, Announced},
};

use crate::{
    Result,
    jobs::{self, Job},
    notifications,
};

/// Number of subscribers that are notified in one transaction. The transaction that publishes
/// notifies the first of them. The limit keeps other writers from waiting for a popular author.
pub const NOTIFY_BATCH: usize = 500;

/// Job that notifies the subscribers that have not been notified yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotifySubscribers {
    pub status: StatusId,
    /// Follow of the subscriber that was notified last.
    pub after: FollowId,
}

impl Job for NotifySubscribers {
    const KIND: &'static str = "statuses.tell_subscribers";
}

/// Runs one step of [`NotifySubscribers`], and enqueues another job for the rest. Does nothing if
/// the status was deleted.
///
/// # Errors
/// Storage errors only.
pub fn notify_subscribers(tx: &mut Tx<'_>, job: &NotifySubscribers) -> Result<()> {
    if !rows::lock_against_deletion(tx, job.status)? {
        return Ok(());
    }
    let Some(status) = rows::load(tx, &[job.status], None)?.pop() else { return Ok(()) };
    let announced = Announced {
        author: status.body.account.id,
        status: job.status,
        language: status.body.source.language.as_deref(),
    };
    notify_some(tx, announced, Some(job.after))
}

/// Notifies the first subscribers after `after`, and enqueues a job for the rest.
pub(super) fn notify_some(
    tx: &mut Tx<'_>,
    announced: Announced<'_>,
    after: Option<FollowId>,
) -> Result<()> {
    let limit = i64::try_from(NOTIFY_BATCH).unwrap_or(i64::MAX);
    let some = rows::subscribers(tx, announced, after, limit)?;
    let recipients: Vec<AccountId> = some.iter().map(|(_, recipient)| *recipient).collect();
    let Announced { author, status, .. } = announced;
    let published = Cause::new(author, NotificationKind::Status, Some(status));
    notifications::create(tx, published, &recipients)?;
    match some.last() {
        Some((after, _)) if some.len() == NOTIFY_BATCH => {
            let job = NotifySubscribers { status, after: *after };
            jobs::enqueue(tx, &job)?;
            Ok(())
        }
        _ => Ok(()),
    }
}
