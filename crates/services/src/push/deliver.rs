//! Delivers notifications to subscriptions. The caller sends the messages between [`load`] and
//! [`finish`], with no transaction open.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use siskin_entities::{Notification, NotificationType, PushPolicy, Timestamp};
use siskin_ids::{NotificationId, PushSubscriptionId};
use siskin_outbound::push::PushOutcome;
use siskin_persistence::{
    Conn, Tx,
    push::{self as rows, PushRecipient},
};

use super::batches::{self, Addressed, PushMessageId};
use crate::{
    Result,
    authentication::UserState,
    jobs::{self, Job, TakesTurns},
    notifications,
};

/// Age at which a notification is not pushed any more.
const MAX_AGE: Duration = Duration::from_hours(48);
/// Shortest and longest time until the next attempt, whatever a push service asks for.
const MIN_DELAY: Duration = Duration::from_secs(10);
const MAX_DELAY: Duration = Duration::from_hours(6);

/// Job that sends messages to one push service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored")]
pub struct DeliverPushes {
    pub messages: Vec<PushMessageId>,
    /// Number of failed attempts so far.
    pub attempts: u32,
}

/// The stored form of [`DeliverPushes`]. Earlier versions stored one message for each job.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Many {
        messages: Vec<PushMessageId>,
        #[serde(default)]
        attempts: u32,
    },
    One {
        #[serde(flatten)]
        message: PushMessageId,
        #[serde(default)]
        attempts: u32,
    },
}

impl From<Stored> for DeliverPushes {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::Many { messages, attempts } => Self { messages, attempts },
            Stored::One { message, attempts } => Self { messages: vec![message], attempts },
        }
    }
}

impl Job for DeliverPushes {
    const KIND: &'static str = "push.deliver";
}

impl TakesTurns for DeliverPushes {
    const PACE: Duration = Duration::from_secs(1);
}

/// A notification, and the client that gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub recipient: PushRecipient,
    /// As the recipient sees it now. Filters are not applied.
    pub notification: Notification,
}

impl Delivery {
    fn addressed(&self) -> Addressed<'_> {
        let subscription = &self.recipient.subscription;
        Addressed {
            message: PushMessageId {
                subscription: subscription.id,
                notification: self.notification.id,
            },
            recipient: self.recipient.owner.account,
            endpoint: &subscription.endpoint,
        }
    }
}

/// Loads what a job delivers. The number of statements does not depend on the number of messages,
/// only on that of the different statuses. Leaves out what is not to be delivered any more: the
/// subscription, the notification or its status is gone or hidden, the alert was turned off, the
/// user may not act, or the notification is too old.
///
/// # Errors
/// Storage errors only.
pub fn load(conn: &mut Conn, job: &DeliverPushes, now: Timestamp) -> Result<Vec<Delivery>> {
    let subscriptions: Vec<PushSubscriptionId> =
        job.messages.iter().map(|one| one.subscription).collect();
    let ids: Vec<NotificationId> = job.messages.iter().map(|one| one.notification).collect();
    let recipients: HashMap<PushSubscriptionId, PushRecipient> =
        rows::recipients(conn, &subscriptions)?
            .into_iter()
            .map(|one| (one.subscription.id, one))
            .collect();
    if recipients.is_empty() {
        return Ok(Vec::new());
    }
    let shown: HashMap<NotificationId, _> = notifications::shown_to_many(conn, &ids, now)?
        .into_iter()
        .map(|one| (one.notification.id, one))
        .collect();
    let delivery = |one: &PushMessageId| {
        let recipient = recipients.get(&one.subscription)?;
        let shown = shown.get(&one.notification)?;
        let is_own = shown.recipient == recipient.owner.account;
        (is_own && is_due(recipient, &shown.notification, now)).then(|| Delivery {
            recipient: recipient.clone(),
            notification: shown.notification.clone(),
        })
    };
    Ok(job.messages.iter().filter_map(delivery).collect())
}

/// Returns `true` if the client wants the notification and may get it.
fn is_due(recipient: &PushRecipient, notification: &Notification, now: Timestamp) -> bool {
    let PushRecipient { owner, subscription, .. } = recipient;
    let state = UserState::of(owner.confirmed, owner.approved, owner.disabled, owner.suspended);
    let kind = NotificationType::from(notification.kind);
    state == UserState::Active
        && subscription.policy != PushPolicy::None
        && subscription.alerts.contains(&kind)
        && ttl(notification, now) > Duration::ZERO
}

/// Returns how long a push service should keep the message for a client that is offline.
#[must_use]
pub fn ttl(notification: &Notification, now: Timestamp) -> Duration {
    let left = notification.created_at.after(MAX_AGE).unix_ms().saturating_sub(now.unix_ms());
    Duration::from_millis(u64::try_from(left).unwrap_or(0)).min(MAX_AGE)
}

/// Stores the outcomes of messages at `now`, with the number of failed attempts before: deletes
/// subscriptions of clients that are gone, and enqueues jobs for what the push service did not
/// accept yet, as long as it makes sense.
///
/// # Errors
/// Storage errors only.
pub fn finish(
    tx: &mut Tx<'_>,
    outcomes: &[(Delivery, PushOutcome)],
    attempts: u32,
    now: Timestamp,
) -> Result<()> {
    let mut later: BTreeMap<Timestamp, Vec<Addressed<'_>>> = BTreeMap::new();
    for (delivery, outcome) in outcomes {
        match outcome {
            PushOutcome::Accepted | PushOutcome::Refused { .. } => {}
            PushOutcome::Gone => rows::delete(tx, delivery.recipient.subscription.id)?,
            PushOutcome::Later { after, .. } => {
                let next = next_attempt(attempts, &delivery.notification, now, *after);
                if let Some(at) = next {
                    later.entry(at).or_default().push(delivery.addressed());
                }
            }
        }
    }
    for (at, messages) in later {
        batches::enqueue(tx, &messages, attempts.saturating_add(1), at)?;
    }
    Ok(())
}

/// Returns the time of the next attempt after one that failed at `now`: the time that the push
/// service asks for, or after increasing delays. Returns `None` if that was the last attempt, or if
/// the notification would be too old.
#[must_use]
pub fn next_attempt(
    attempts: u32,
    notification: &Notification,
    now: Timestamp,
    after: Option<Duration>,
) -> Option<Timestamp> {
    let at = jobs::retry_at(now, attempts.saturating_add(1))?;
    let at = after.map_or(at, |after| now.after(after.clamp(MIN_DELAY, MAX_DELAY)));
    Some(at).filter(|at| !ttl(notification, *at).is_zero())
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
            record: None,
            created_at: NOW,
            filtered: false,
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
            let after = after.map(Duration::from_secs);
            next_attempt(attempts, &notification(), later(at), after)
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

    #[test]
    fn jobs_of_an_earlier_version_are_read() {
        let read = |json: &str| serde_json::from_str::<DeliverPushes>(json).unwrap();
        let message = |subscription, notification| PushMessageId {
            subscription: PushSubscriptionId::new(subscription),
            notification: NotificationId::new(notification),
        };
        let one = DeliverPushes { messages: vec![message(3, 2)], attempts: 1 };
        assert_eq!(read(r#"{"subscription":"3","notification":"2","attempts":1}"#), one);
        let many = DeliverPushes { messages: vec![message(3, 2), message(4, 2)], attempts: 0 };
        assert_eq!(read(&serde_json::to_string(&many).unwrap()), many);
    }
}
