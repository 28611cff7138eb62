//! The upkeep of the database: what is removed, and how long it is kept. What takes more than a
//! statement is left to jobs. When it is done is not known here.

use std::time::Duration;

use siskin_entities::{Settings, Timestamp};
use siskin_persistence::{
    Conn, Tx,
    stale::{self, Stale},
};
use siskin_policy::limits::IDEMPOTENCY_KEY_KEPT;

use crate::{
    Result, accounts::unconfirmed::RemoveUnconfirmed, attachments, cards, feeds::TendFeeds, jobs,
    sessions::IDLE_LIFETIME,
};

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// So many rows of a kind go in one transaction: others write in between.
pub const AT_ONCE: i64 = 300;

/// How long each kind of row stays after the time by which it is told.
fn kept(stale: Stale, settings: &Settings) -> Duration {
    match stale {
        // For streams that are taken up again.
        Stale::Events | Stale::FormerTies => {
            HOUR.saturating_mul(settings.streams_kept_hours.max(1))
        }
        Stale::IdempotencyKeys => IDEMPOTENCY_KEY_KEPT,
        // A second use, which ends the token of the first, may come late.
        Stale::AuthorizationCodes => DAY,
        Stale::MailedLinks | Stale::Mutes | Stale::Translations => Duration::ZERO,
        Stale::Sessions => IDLE_LIFETIME,
        Stale::ApplicationTokens => DAY.saturating_mul(30),
        // Longer than a first sign-in takes. Clients register again if they are unknown.
        Stale::Applications => DAY,
        // For the operator to see.
        Stale::DeadJobs => DAY.saturating_mul(30),
    }
}

/// The kinds of rows of which some are to go.
///
/// # Errors
/// Whatever the database meets.
pub fn due(conn: &mut Conn, settings: &Settings, now: Timestamp) -> Result<Vec<Stale>> {
    let mut due = Vec::new();
    for stale in Stale::ALL {
        if stale::any(conn, stale, now.before(kept(stale, settings)))? {
            due.push(stale);
        }
    }
    Ok(due)
}

/// Removes some rows of a kind; whether there may be more.
///
/// # Errors
/// Whatever the database meets.
pub fn sweep_rows(tx: &mut Tx<'_>, settings: &Settings, stale: Stale) -> Result<bool> {
    let gone = stale::remove(tx, stale, tx.now().before(kept(stale, settings)), AT_ONCE)?;
    log::debug!("removed: {gone} {stale:?}");
    Ok(i64::try_from(gone).is_ok_and(|gone| gone >= AT_ONCE))
}

/// Leaves jobs for what takes longer than a statement.
///
/// # Errors
/// Whatever the database meets.
pub fn leave_jobs(tx: &mut Tx<'_>) -> Result<()> {
    attachments::sweep_later(tx)?;
    cards::sweep_later(tx)?;
    jobs::enqueue(tx, &TendFeeds {})?;
    jobs::enqueue(tx, &RemoveUnconfirmed {})?;
    Ok(())
}
