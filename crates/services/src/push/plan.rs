//! Finds the subscriptions that get new notifications, and enqueues their deliveries.

use serde::{Deserialize, Serialize};
use siskin_ids::{AccountId, NotificationId, PushSubscriptionId};
use siskin_persistence::{
    Tx,
    push::{self as rows, PushCandidate},
};
use siskin_policy::push::pushes;

use super::batches::{self, Addressed, PushMessageId};
use crate::{
    Result,
    jobs::{self, Job},
};

/// Maximum number of notifications that are looked at in one transaction.
const NOTIFICATIONS: usize = 200;
/// Maximum number of subscriptions that are looked at in one transaction.
const SUBSCRIPTIONS: i64 = 500;

/// Job that enqueues the deliveries of new notifications.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanPushes {
    /// In ascending order.
    pub notifications: Vec<NotificationId>,
    /// Last subscription of the first notification that is done.
    #[serde(default)]
    pub after: Option<PushSubscriptionId>,
}

impl Job for PlanPushes {
    const KIND: &'static str = "push.plan";
}

/// Enqueues a [`PlanPushes`] job for those of the new notifications whose recipients have a
/// subscription for them.
///
/// # Errors
/// Storage errors only.
pub(crate) fn enqueue(
    tx: &mut Tx<'_>,
    subscribers: &[AccountId],
    new: &[(AccountId, NotificationId)],
) -> Result<()> {
    let pushed = new.iter().filter(|(recipient, _)| subscribers.contains(recipient));
    let mut notifications: Vec<NotificationId> = pushed.map(|(_, id)| *id).collect();
    if !notifications.is_empty() {
        notifications.sort_unstable();
        jobs::enqueue(tx, &PlanPushes { notifications, after: None })?;
    }
    Ok(())
}

/// Runs one step of [`PlanPushes`], and enqueues another job for the rest.
///
/// # Errors
/// Storage errors only.
pub fn plan(tx: &mut Tx<'_>, job: &PlanPushes) -> Result<()> {
    let (some, rest) = job.notifications.split_at(job.notifications.len().min(NOTIFICATIONS));
    let candidates = rows::candidates(tx, some, job.after, SUBSCRIPTIONS)?;
    let gets = |one: &&PushCandidate| pushes(one.policy, &one.alerts, one.kind, one.sender);
    let messages: Vec<Addressed<'_>> = candidates.iter().filter(gets).map(addressed).collect();
    let now = tx.now();
    batches::enqueue(tx, &messages, 0, now)?;
    let is_full = i64::try_from(candidates.len()) == Ok(SUBSCRIPTIONS);
    let (notifications, after) = match candidates.last().filter(|_| is_full) {
        Some(last) => {
            let left = job.notifications.iter().filter(|id| **id >= last.notification);
            (left.copied().collect(), Some(last.subscription))
        }
        None => (rest.to_vec(), None),
    };
    if !notifications.is_empty() {
        jobs::enqueue(tx, &PlanPushes { notifications, after })?;
    }
    Ok(())
}

fn addressed(candidate: &PushCandidate) -> Addressed<'_> {
    let PushCandidate { subscription, notification, recipient, .. } = *candidate;
    let message = PushMessageId { subscription, notification };
    Addressed { message, recipient, endpoint: &candidate.endpoint }
}
