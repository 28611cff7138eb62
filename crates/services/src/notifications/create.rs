//! Notifies accounts in the transaction of the cause.

use siskin_entities::{NotificationKind, PolicyAction};
use siskin_ids::{AccountId, NotificationId};
use siskin_persistence::{
    Tx,
    events::DomainEvent,
    notifications::{self as rows, Cause, MAX_RECIPIENTS, Written},
};
use siskin_policy::notifications::action;

use crate::{Result, emails, push};

/// Notifies those of `recipients` that [`action`] accepts: local accounts that have no such
/// notification yet. Writes an event about the new notifications, and enqueues jobs if they have to
/// be pushed to clients or mailed. What the policy of a recipient filters is stored without both,
/// and the sender becomes a request.
///
/// Runs at most nine statements for each [`MAX_RECIPIENTS`]. Callers that may have more recipients
/// pass them in batches, so that other writers do not wait.
///
/// # Errors
/// Storage errors only.
pub fn create(tx: &mut Tx<'_>, cause: Cause, recipients: &[AccountId]) -> Result<()> {
    let now = tx.now();
    for some in recipients.chunks(MAX_RECIPIENTS) {
        let Some(facts) = rows::facts(tx, cause, some)? else { return Ok(()) };
        let stored = |recipient: &AccountId| {
            let (relations, state) = facts.recipients.get(recipient)?;
            match action(relations, state, &facts.cause(), now) {
                PolicyAction::Accept => Some((*recipient, false)),
                PolicyAction::Filter => Some((*recipient, true)),
                PolicyAction::Drop => None,
            }
        };
        let stored: Vec<(AccountId, bool)> = some.iter().filter_map(stored).collect();
        let (filtered, mut accepted): (Vec<Written>, Vec<Written>) =
            rows::insert(tx, cause, &stored)?.into_iter().partition(|one| one.filtered);
        if !filtered.is_empty() {
            let recipients: Vec<AccountId> = filtered.iter().map(|one| one.recipient).collect();
            rows::add_requests(tx, cause.from, &recipients)?;
            let ids: Vec<NotificationId> = filtered.iter().map(|one| one.id).collect();
            accepted.extend(rows::release_permitted(tx, &ids)?);
        }
        if !accepted.is_empty() {
            let notified: Vec<(AccountId, NotificationId)> =
                accepted.iter().map(|one| (one.recipient, one.id)).collect();
            enqueue_deliveries(tx, cause.kind, &notified)?;
            DomainEvent::Notified(notified).write(tx)?;
        }
    }
    Ok(())
}

/// Enqueues jobs that push and mail new notifications.
fn enqueue_deliveries(
    tx: &mut Tx<'_>,
    kind: NotificationKind,
    new: &[(AccountId, NotificationId)],
) -> Result<()> {
    let recipients: Vec<AccountId> = new.iter().map(|(recipient, _)| *recipient).collect();
    let channels = rows::channels(tx, kind, &recipients)?;
    push::enqueue(tx, &channels.pushed, new)?;
    let first = new.iter().map(|(_, id)| *id).min();
    first.map_or(Ok(()), |first| emails::enqueue_about_notifications(tx, &channels.mailed, first))
}
