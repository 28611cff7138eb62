//! Deliveries in batches: one job sends many messages to one push service.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use siskin_entities::Timestamp;
use siskin_ids::{AccountId, NotificationId, PushSubscriptionId};
use siskin_persistence::Tx;

use super::DeliverPushes;
use crate::{
    Result,
    jobs::{self, InTurn},
};

/// Maximum number of messages of one job. Even if each takes the longest time that is allowed, the
/// job ends before its lease does.
const BATCH: usize = 50;
/// Number of accounts from which on messages to the same push service share jobs. A push service
/// with fewer may belong to one of them. If it is slow, it must not delay the messages of others,
/// so its jobs wait for the turn of their account.
const SHARED: usize = 8;

/// The notification that a message is about, and the subscription that gets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PushMessageId {
    pub subscription: PushSubscriptionId,
    pub notification: NotificationId,
}

/// A message with its recipient and the address of the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Addressed<'a> {
    pub(super) message: PushMessageId,
    pub(super) recipient: AccountId,
    pub(super) endpoint: &'a str,
}

/// Enqueues jobs that send these messages at `run_at` or later, after this number of failed
/// attempts.
pub(super) fn enqueue(
    tx: &mut Tx<'_>,
    messages: &[Addressed<'_>],
    attempts: u32,
    run_at: Timestamp,
) -> Result<()> {
    jobs::enqueue_many_in_turn(tx, &batches(messages, attempts), run_at)
}

/// Returns the jobs for these messages.
fn batches<'a>(messages: &[Addressed<'a>], attempts: u32) -> Vec<InTurn<'a, DeliverPushes>> {
    let mut by_host: BTreeMap<Option<String>, Vec<Addressed<'a>>> = BTreeMap::new();
    for one in messages {
        by_host.entry(jobs::host(Some(one.endpoint))).or_default().push(*one);
    }
    let mut batches = Vec::new();
    for of_host in by_host.into_values() {
        let recipients: BTreeSet<AccountId> = of_host.iter().map(|one| one.recipient).collect();
        if recipients.len() >= SHARED {
            batches.extend(of_host.chunks(BATCH).map(|some| batch(some, None, attempts)));
            continue;
        }
        for recipient in recipients {
            let own: Vec<Addressed<'a>> =
                of_host.iter().copied().filter(|one| one.recipient == recipient).collect();
            batches.extend(own.chunks(BATCH).map(|some| batch(some, Some(recipient), attempts)));
        }
    }
    batches
}

fn batch<'a>(
    messages: &[Addressed<'a>],
    owner: Option<AccountId>,
    attempts: u32,
) -> InTurn<'a, DeliverPushes> {
    let job =
        DeliverPushes { messages: messages.iter().map(|one| one.message).collect(), attempts };
    InTurn { job, owner, address: messages.first().map(|one| one.endpoint) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns owner and number of messages of each job.
    fn planned(messages: &[(i64, &str)]) -> Vec<(Option<i64>, usize)> {
        let addressed = |(number, (recipient, endpoint)): (i64, &(i64, &'static str))| Addressed {
            message: PushMessageId {
                subscription: PushSubscriptionId::new(number),
                notification: NotificationId::new(1),
            },
            recipient: AccountId::new(*recipient),
            endpoint,
        };
        let messages: Vec<(i64, &'static str)> = messages
            .iter()
            .map(|(recipient, endpoint)| (*recipient, &*endpoint.to_string().leak()))
            .collect();
        let messages: Vec<Addressed<'_>> = (1..).zip(&messages).map(addressed).collect();
        let batches = batches(&messages, 0);
        let sent: BTreeSet<PushMessageId> =
            batches.iter().flat_map(|one| one.job.messages.clone()).collect();
        assert_eq!(sent, messages.iter().map(|one| one.message).collect());
        batches.iter().map(|one| (one.owner.map(AccountId::get), one.job.messages.len())).collect()
    }

    #[test]
    fn messages_to_a_service_of_many_accounts_share_jobs() {
        let many: Vec<(i64, &str)> = (0..120).map(|n| (n, "https://push.example/x")).collect();
        assert_eq!(planned(&many), [(None, 50), (None, 50), (None, 20)]);
    }

    #[test]
    fn a_service_of_few_accounts_has_jobs_of_these_accounts() {
        let few: Vec<(i64, &str)> = (0..14).map(|n| (n % 7 + 1, "https://own.example/x")).collect();
        let expected: Vec<(Option<i64>, usize)> = (1..8).map(|n| (Some(n), 2)).collect();
        assert_eq!(planned(&few), expected);
        let hosts =
            [(1, "https://a.example/"), (1, "https://B.example/"), (1, "https://b.example")];
        assert_eq!(planned(&hosts), [(Some(1), 1), (Some(1), 2)]);
    }
}
