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
    let state = UserState::of(owner.confirmed, owner.approved, owner.disabled, owner.suspended);
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
    let is_wanted = subscription.policy != PushPolicy::None && subscription.alerts.contains(&kind);
    let is_due = ttl(&notification, now) > Duration::ZERO;
    Ok((is_wanted && is_due).then_some(Delivery { recipient, notification }))
}

/// Returns how long a push service should keep the message for a client that is offline.
#[must_use]
pub fn ttl(notification: &Notification, now: Timestamp) -> Duration {
    let left = notification.created_at.after(MAX_AGE).unix_ms().saturating_sub(now.unix_ms());
    Duration::from_millis(u64::try_from(left).unwrap_or(0)).min(MAX_AGE)
}

/// Returns the time of the next attempt after one that failed at `now`: the time that the push
/// service asks for, or after increasing delays. Returns `None` if that was the last attempt, or if
/// the notification would be too old.
#[must_use]
pub fn next_attempt(
    job: &DeliverPush,
    notification: &Notification,
    now: Timestamp,
    after: Option<Duration>,
) -> Option<Timestamp> {
    let at = jobs::retry_at(now, job.attempts.saturating_add(1))?;
    let at = after.map_or(at, |after| now.after(after.clamp(MIN_DELAY, MAX_DELAY)));
    Some(at).filter(|at| !ttl(notification, *at).is_zero())
}

/// Enqueues another attempt.
///
/// # Errors
/// Storage errors only.
pub fn retry(
    tx: &mut Tx<'_>,
    job: &DeliverPush,
    recipient: &PushRecipient,
    at: Timestamp,
) -> Result<()> {
    let again = InTurn {
        job: DeliverPush { attempts: job.attempts.saturating_add(1), ..*job },
        owner: recipient.owner.account,
        address: Some(&recipient.subscription.endpoint),
    };
    jobs::enqueue_many_in_turn(tx, &[again], at)
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
    use std::sync::Arc;

    use siskin_entities::{Account, AccountSnapshot, NotificationKind};
    use siskin_ids::AccountId;

    use super::*;

    const NOW: Timestamp = Timestamp::from_unix_ms(1_795_766_400_000);
    const HOUR: u64 = 3600;

    fn notification() -> Notification {
        let account = AccountSnapshot::new(AccountId::new(1), "ann", NOW);
        Notification {
            id: NotificationId::new(2),
            kind: NotificationKind::Follow,
            account: Arc::new(Account::new(account)),
            status: None,
            created_at: NOW,
        }
    }

    fn later(seconds: u64) -> Timestamp {
        NOW.after(Duration::from_secs(seconds))
    }

    #[test]
    fn a_message_lives_until_its_notification_is_two_days_old() {
        let ttl = |at| ttl(&notification(), at).as_secs();
        assert_eq!(ttl(NOW), 48 * HOUR);
        assert_eq!(ttl(later(47 * HOUR)), HOUR);
        assert_eq!(ttl(later(48 * HOUR)), 0);
        assert_eq!(ttl(later(50 * HOUR)), 0);
        assert_eq!(ttl(NOW.before(Duration::from_secs(9))), 48 * HOUR);
    }

    #[test]
    fn a_push_service_delays_the_next_attempt_within_bounds() {
        let next = |attempts, at, after: Option<u64>| {
            let subscription = PushSubscriptionId::new(3);
            let job = DeliverPush { subscription, notification: notification().id, attempts };
            let after = after.map(Duration::from_secs);
            next_attempt(&job, &notification(), later(at), after)
        };
        assert_eq!(next(0, 0, None), Some(later(10)));
        assert_eq!(next(2, 0, None), Some(later(40)));
        assert_eq!(next(2, 0, Some(0)), Some(later(10)));
        assert_eq!(next(2, 0, Some(300)), Some(later(300)));
        assert_eq!(next(2, 0, Some(u64::MAX)), Some(later(6 * HOUR)));
        assert_eq!(next(jobs::ATTEMPTS - 1, 0, Some(300)), None);
        assert_eq!(next(0, 48 * HOUR - 11, None), Some(later(48 * HOUR - 1)));
        assert_eq!(next(0, 48 * HOUR - 10, None), None);
    }
}
