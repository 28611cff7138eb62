//! Notifies accounts in the transaction of the cause.

use siskin_ids::AccountId;
use siskin_persistence::{
    Tx,
    events::DomainEvent,
    notifications::{self as rows, Cause, MAX_RECIPIENTS},
};
use siskin_policy::notifications::notifies;

use crate::{Result, push};

/// Notifies those of `recipients` that [`notifies`] accepts: local accounts that have no such
/// notification yet. Writes an event about the new notifications, and enqueues a job if they have
/// to be pushed to clients.
///
/// Runs at most five statements for each [`MAX_RECIPIENTS`]. Callers that may have more recipients pass
/// them in batches, so that other writers do not wait.
///
/// # Errors
/// Storage errors only.
pub fn create(tx: &mut Tx<'_>, cause: Cause, recipients: &[AccountId]) -> Result<()> {
    let now = tx.now();
    for some in recipients.chunks(MAX_RECIPIENTS) {
        let Some(facts) = rows::facts(tx, cause, some)? else { return Ok(()) };
        let accepts = |recipient: &&AccountId| {
            let found = facts.recipients.get(recipient);
            found.is_some_and(|(relations, state)| notifies(relations, *state, &facts.cause(), now))
        };
        let accepting: Vec<AccountId> = some.iter().filter(accepts).copied().collect();
        let written = rows::insert(tx, cause, &accepting)?;
        if !written.is_empty() {
            push::enqueue(tx, cause.kind.into(), &written)?;
            DomainEvent::Notified(written).write(tx)?;
        }
    }
    Ok(())
}
