//! Delivers one notification to one subscription. The caller sends the message between [`load`] and
//! [`retry`], with no transaction open.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use siskin_entities::{Notification, NotificationType, PushPolicy, Timestamp};
use siskin_ids::{NotificationId, PushSubscriptionId};
use siskin_persistence::{
    Conn, Tx,
    push::{self as rows, PushRecipient},
};

use crate::{
    Error, Result,
    authentication::UserState,
    jobs::{self, InTurn, Job, TakesTurns},
    notifications,
};

/// Age at which a notification is not pushed any more.
const MAX_AGE: Duration = Duration::from_hours(48);
/// Shortest and longest time until the next attempt, whatever a push service asks for.
const MIN_DELAY: Duration = Duration::from_secs(10);
const MAX_DELAY: Duration = Duration::from_hours(6);

/// Job that sends a notification to the client of a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliverPush {
    pub subscription: PushSubscriptionId,
    pub notification: NotificationId,
    /// Number of failed attempts so far.
    #[serde(default)]
    pub attempts: u32,
}

impl Job for DeliverPush {
    const KIND: &'static str = "push.deliver";
}

impl TakesTurns for DeliverPush {
    const PACE: Duration = Duration::from_secs(1);
}

/// A notification, and the client that gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub recipient: PushRecipient,
    /// As the recipient sees it now. Filters are not applied.
    pub notification: Notification,
}

/// Loads what a job delivers. Returns `None` if there is nothing to deliver any more: the
/// subscription, the notification or its status is gone or hidden, the alert was turned off, the
/// user may not act, or the notification is too old.
///
/// # Errors
/// Storage errors only.
pub fn load(conn: &mut Conn, job: &DeliverPush, now: Timestamp) -> Result<Option<Delivery>> {
    let Some(recipient) = rows::recipient(conn, job.subscription)? else { return Ok(None) };
    let owner = recipient.owner;
    let state =
        UserState::of(owner.confirmed, owner.approved, owner.disabled, owner.suspended);
    if state != UserState::Active {
        return Ok(None);
    }
    let notification = match notifications::find(conn, owner.account, job.notification, now) {
        Ok(notification) => notification,
        Err(Error::NotFound) => return Ok(None),
        Err(error) => return Err(error),
    };
    let kind = NotificationType::from(notification.kind);
    let subscription = &recipient.subscription;
    let is_wanted =
        subscription.policy != PushPolicy::None && subscription.alerts.contains(&kind);
    let is_due = ttl(&notification, now) > Duration::ZERO;
    Ok((is_wanted && is_due).then_some(Delivery { recipient, notification }))
}

/// Returns how long a push service should keep the message for a client that is offline.
#[must_use]
pub fn ttl(notification: &Notification, now: Timestamp) -> Duration {
    let left = notification.created_at.after(MAX_AGE).unix_ms().saturating_sub(now.unix_ms());
    Duration::from_millis(u64::try_from(left).unwrap_or(0)).min(MAX_AGE)
}

/// Enqueues another attempt after a failed one: after the time that the push service asks for, or
/// after increasing delays. Returns its time. Returns `None` if that was the last attempt, or if the
/// notification would be too old.
///
/// # Errors
/// Storage errors only.
pub fn retry(
    tx: &mut Tx<'_>,
    job: &DeliverPush,
    delivery: &Delivery,
    after: Option<Duration>,
) -> Result<Option<Timestamp>> {
    let attempts = job.attempts.saturating_add(1);
    let Some(at) = next_attempt(tx.now(), attempts, after) else { return Ok(None) };
    if ttl(&delivery.notification, at).is_zero() {
        return Ok(None);
    }
    let again = InTurn {
        job: DeliverPush { attempts, ..*job },
        owner: delivery.recipient.owner.account,
        address: Some(&delivery.recipient.subscription.endpoint),
    };
    jobs::enqueue_many_in_turn(tx, &[again], at)?;
    Ok(Some(at))
}

/// Returns the time of the next attempt after `attempts` failed ones.
fn next_attempt(now: Timestamp, attempts: u32, after: Option<Duration>) -> Option<Timestamp> {
    let at = jobs::retry_at(now, attempts)?;
    Some(after.map_or(at, |after| now.after(after.clamp(MIN_DELAY, MAX_DELAY))))
}

/// Deletes a subscription after its push service answered that the client is gone.
///
/// # Errors
/// Storage errors only.
pub fn remove_gone(tx: &mut Tx<'_>, id: PushSubscriptionId) -> Result<()> {
    Ok(rows::delete(tx, id)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_service_delays_the_next_attempt_within_bounds() {
        let now = Timestamp::from_unix_ms(0);
        let delay = |attempts, after: Option<u64>| {
            let next = next_attempt(now, attempts, after.map(Duration::from_secs));
            next.map(Timestamp::unix_seconds)
        };
        assert_eq!(delay(1, None), Some(10));
        assert_eq!(delay(3, None), Some(40));
        assert_eq!(delay(3, Some(0)), Some(10));
        assert_eq!(delay(3, Some(300)), Some(300));
        assert_eq!(delay(3, Some(u64::MAX)), Some(6 * 3600));
        assert_eq!(delay(jobs::ATTEMPTS, Some(300)), None);
    }
}
