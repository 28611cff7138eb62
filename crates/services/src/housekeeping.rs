//! Removes rows that have served their purpose; what takes longer is left to jobs.

use std::time::Duration;

use siskin_persistence::{Tx, events, idempotency, mailed_links, relationships};
use siskin_policy::limits::IDEMPOTENCY_KEY_KEPT;

use crate::{
    Result, accounts::unconfirmed::RemoveUnconfirmed, attachments, cards, jobs, translation,
};

/// How long events stay, for receivers that come back after a break.
const EVENTS_STAY: Duration = Duration::from_secs(7 * 24 * 3600);

/// What is left of them waits for the next round: nothing reads them any more.
const MUTES_AT_ONCE: i64 = 1000;

/// One round; to be called now and then.
///
/// # Errors
/// Whatever the database meets.
pub fn sweep(tx: &mut Tx<'_>) -> Result<()> {
    let old = tx.now().before(EVENTS_STAY);
    let gone = events::sweep(tx, old)?;
    let keys = idempotency::sweep(tx, IDEMPOTENCY_KEY_KEPT)?;
    let links = mailed_links::sweep(tx)?;
    let mutes = relationships::sweep_mutes(tx, MUTES_AT_ONCE)?;
    let translations = translation::sweep(tx)?;
    attachments::sweep_later(tx)?;
    cards::sweep_later(tx)?;
    jobs::enqueue(tx, &RemoveUnconfirmed {})?;
    log::debug!(
        "removed: {gone} old events, {keys} keys of repeats, {links} mailed links, \
         {mutes} expired mutes, {translations} translations"
    );
    Ok(())
}
