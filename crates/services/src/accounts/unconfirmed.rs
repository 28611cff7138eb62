//! Deletes accounts with an email address that was never confirmed, after a while. Their names are
//! free again.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use siskin_entities::{Settings, Timestamp};
use siskin_ids::AccountId;
use siskin_persistence::{Conn, Tx, accounts, users};

use super::moderation;
use crate::{
    Result,
    jobs::{self, Job},
};

/// Number of accounts that are deleted in one transaction, so that other writers get their turn.
const BATCH_SIZE: usize = 20;
const DAY: Duration = Duration::from_secs(86_400);

/// Job that deletes accounts that never confirmed their address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoveUnconfirmed {}

impl Job for RemoveUnconfirmed {
    const KIND: &'static str = "remove_unconfirmed";
}

/// Returns some accounts that did not confirm in time. Excludes accounts that the operator created
/// or gave a role.
///
/// # Errors
/// Storage errors only.
pub fn overdue(conn: &mut Conn, settings: &Settings, now: Timestamp) -> Result<Vec<AccountId>> {
    match settings.unconfirmed_accounts_days {
        0 => Ok(Vec::new()),
        days => Ok(users::never_confirmed(conn, now.before(DAY * days), BATCH_SIZE as i64)?),
    }
}

/// Deletes those of these accounts that are still unconfirmed, and enqueues another job for further
/// ones.
///
/// # Errors
/// Storage errors only.
pub fn remove(tx: &mut Tx<'_>, overdue: &[AccountId]) -> Result<()> {
    for account in overdue {
        // A simultaneous confirmation either comes first, and the account stays, or is too late.
        accounts::lock(tx, &[*account])?;
        let user = users::recipient(tx, *account)?;
        if user.is_some_and(|user| !user.owner.confirmed) {
            moderation::delete_some(tx, *account)?;
        }
    }
    if overdue.len() == BATCH_SIZE {
        jobs::enqueue(tx, &RemoveUnconfirmed {})?;
    }
    Ok(())
}
