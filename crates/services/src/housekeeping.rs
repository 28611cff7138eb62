//! Retention rules for rows in the database, and the upkeep that enforces them. Work that takes
//! more than one statement is left to jobs. The caller decides when it runs.

use std::time::Duration;

use siskin_entities::{Settings, Timestamp};
use siskin_persistence::{
    Conn, Tx,
    stale::{self, Stale},
};
use siskin_policy::limits::{ACTIVE_DAYS_RETENTION, IDEMPOTENCY_KEY_LIFETIME};

use crate::{
    Result, accounts::unconfirmed::RemoveUnconfirmed, activity::CountActivity, attachments, cards,
    emails::PlanDigests, feeds::MaintainFeeds, jobs, moderation::sign_ups::RemoveRejected,
    sessions::IDLE_LIFETIME,
};

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// Number of rows of a kind that are deleted in one transaction, so that other writers get their
/// turn.
pub const BATCH_SIZE: i64 = 300;

/// Returns how long rows of a kind are kept after the time that determines their age.
fn retention(stale: Stale, settings: &Settings) -> Duration {
    match stale {
        // Resumed streams read these.
        Stale::Events | Stale::FormerRelations => {
            HOUR.saturating_mul(settings.streams_kept_hours.max(1))
        }
        Stale::IdempotencyKeys => IDEMPOTENCY_KEY_LIFETIME,
        // A late second use of a code must still be detected, because it revokes the token of the
        // first use.
        Stale::AuthorizationCodes => DAY,
        Stale::Sessions => IDLE_LIFETIME,
        Stale::ApplicationTokens => DAY.saturating_mul(30),
        // Longer than a first sign-in takes. Clients register again if their application is
        // unknown.
        Stale::Applications => DAY,
        // Kept so that the operator can inspect them.
        Stale::DeadJobs => DAY.saturating_mul(30),
        // Statistics show no older ones.
        Stale::ActiveDays => ACTIVE_DAYS_RETENTION,
        Stale::Expired(_) => Duration::ZERO,
    }
}

/// Returns the kinds with rows that are due for deletion.
///
/// # Errors
/// Storage errors only.
pub fn due(conn: &mut Conn, settings: &Settings, now: Timestamp) -> Result<Vec<Stale>> {
    let mut due = Vec::new();
    for stale in Stale::all() {
        if stale::any(conn, stale, now.before(retention(stale, settings)))? {
            due.push(stale);
        }
    }
    Ok(due)
}

/// Deletes some rows of a kind. Returns `true` if there may be more.
///
/// # Errors
/// Storage errors only.
pub fn sweep_rows(tx: &mut Tx<'_>, settings: &Settings, stale: Stale) -> Result<bool> {
    let deleted =
        stale::remove(tx, stale, tx.now().before(retention(stale, settings)), BATCH_SIZE)?;
    log::debug!("removed: {deleted} old rows of {}", stale.table());
    Ok(i64::try_from(deleted).is_ok_and(|deleted| deleted >= BATCH_SIZE))
}

/// Enqueues jobs for upkeep that takes more than one statement.
///
/// # Errors
/// Storage errors only.
pub fn enqueue_upkeep_jobs(tx: &mut Tx<'_>) -> Result<()> {
    attachments::enqueue_sweep(tx)?;
    cards::enqueue_sweep(tx)?;
    jobs::enqueue(tx, &PlanDigests::default())?;
    jobs::enqueue(tx, &MaintainFeeds {})?;
    jobs::enqueue(tx, &RemoveUnconfirmed {})?;
    jobs::enqueue(tx, &RemoveRejected {})?;
    jobs::enqueue(tx, &CountActivity {})?;
    Ok(())
}
