//! Notifies rebloggers that a status was edited.

use serde::{Deserialize, Serialize};
use siskin_entities::NotificationKind;
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Tx,
    notifications::{Cause, withdraw_all},
    statuses::{self as rows, reblogs},
};

use super::subscribers::NOTIFY_BATCH;
use crate::{
    Result,
    jobs::{self, Job},
    notifications,
};

/// Job that notifies the rebloggers that have not been notified yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotifyRebloggers {
    pub status: StatusId,
    /// Reblog of the account that was notified last.
    pub after: StatusId,
}

impl Job for NotifyRebloggers {
    const KIND: &'static str = "statuses.tell_boosters";
}

/// Runs one step of [`NotifyRebloggers`], and enqueues another job for the rest. Does nothing if
/// the status was deleted.
///
/// # Errors
/// Storage errors only.
pub fn notify_rebloggers(tx: &mut Tx<'_>, job: &NotifyRebloggers) -> Result<()> {
    let Some(status) = rows::locate(tx, job.status)? else { return Ok(()) };
    if !rows::lock_against_deletion(tx, status.id)? {
        return Ok(());
    }
    notify_some(tx, status.account, status.id, Some(job.after))
}

/// Replaces the notifications of earlier edits by ones of the latest edit. Notifies the first
/// rebloggers at once and enqueues a job for the rest.
pub(super) fn replace_notifications(
    tx: &mut Tx<'_>,
    author: AccountId,
    status: StatusId,
) -> Result<()> {
    withdraw_all(tx, NotificationKind::Update, status)?;
    notify_some(tx, author, status, None)
}

fn notify_some(
    tx: &mut Tx<'_>,
    author: AccountId,
    status: StatusId,
    after: Option<StatusId>,
) -> Result<()> {
    let limit = i64::try_from(NOTIFY_BATCH).unwrap_or(i64::MAX);
    let some = reblogs::local(tx, status, after, limit)?;
    let recipients: Vec<AccountId> = some.iter().map(|(_, recipient)| *recipient).collect();
    let edited = Cause::new(author, NotificationKind::Update, Some(status));
    notifications::create(tx, edited, &recipients)?;
    match some.last() {
        Some((after, _)) if some.len() == NOTIFY_BATCH => {
            jobs::enqueue(tx, &NotifyRebloggers { status, after: *after })?;
            Ok(())
        }
        _ => Ok(()),
    }
}
