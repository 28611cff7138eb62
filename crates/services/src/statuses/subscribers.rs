//! Telling followers who asked for it of what an account writes.

use serde::{Deserialize, Serialize};
use siskin_entities::NotificationKind;
use siskin_ids::{AccountId, FollowId, StatusId};
use siskin_persistence::{
    Tx, notifications,
    notifications::NewNotification,
    statuses::{self as rows, Announced},
};

use crate::{
    Result,
    jobs::{self, Job},
};

/// So many are told in one transaction, the first of them in the one that publishes: nobody
/// waits for a popular author.
pub const TOLD_AT_ONCE: usize = 500;

/// The work of telling those who have not been told yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TellSubscribers {
    pub status: StatusId,
    /// The follow of whoever was told last.
    pub after: FollowId,
}

impl Job for TellSubscribers {
    const KIND: &'static str = "statuses.tell_subscribers";
}

/// Does a part of [`TellSubscribers`] and leaves the rest as another job. Nothing is left to do
/// where the status is gone.
///
/// # Errors
/// Storage errors only.
pub fn tell_subscribers(tx: &mut Tx<'_>, job: &TellSubscribers) -> Result<()> {
    let Some(status) = rows::load(tx, &[job.status], None)?.pop() else { return Ok(()) };
    let announced = Announced {
        author: status.body.account.id,
        status: job.status,
        language: status.body.language.as_deref(),
    };
    tell_some(tx, announced, Some(job.after))
}

/// Tells the first of them, and leaves the rest as a job.
pub(super) fn tell_some(
    tx: &mut Tx<'_>,
    announced: Announced<'_>,
    after: Option<FollowId>,
) -> Result<()> {
    let limit = i64::try_from(TOLD_AT_ONCE).unwrap_or(i64::MAX);
    let some = rows::subscribers(tx, announced, after, limit)?;
    let news: Vec<NewNotification> =
        some.iter().map(|(_, recipient)| news(announced, *recipient)).collect();
    notifications::create(tx, &news)?;
    match some.last() {
        Some((after, _)) if some.len() == TOLD_AT_ONCE => {
            let job = TellSubscribers { status: announced.status, after: *after };
            jobs::enqueue(tx, &job)?;
            Ok(())
        }
        _ => Ok(()),
    }
}

fn news(announced: Announced<'_>, recipient: AccountId) -> NewNotification {
    NewNotification {
        recipient,
        from: announced.author,
        kind: NotificationKind::Status,
        status: Some(announced.status),
    }
}
