//! Accounts of those who signed up and never confirmed their e-mail address are removed after a
//! while, so that their names are free again.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use siskin_entities::{Settings, Timestamp};
use siskin_ids::AccountId;
use siskin_persistence::{Conn, Tx, accounts, users};

use super::standing;
use crate::{
    Result,
    jobs::{self, Job},
};

/// So many are removed in one transaction: others write in between.
const AT_ONCE: usize = 20;
const DAY: Duration = Duration::from_secs(86_400);

/// Remove those who never confirmed their address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoveUnconfirmed {}

impl Job for RemoveUnconfirmed {
    const KIND: &'static str = "remove_unconfirmed";
}

/// Some of those whose time to confirm is over. Whom the operator made, or gave a role, is none of
/// them.
///
/// # Errors
/// Storage errors only.
pub fn overdue(conn: &mut Conn, settings: &Settings, now: Timestamp) -> Result<Vec<AccountId>> {
    match settings.unconfirmed_accounts_days {
        0 => Ok(Vec::new()),
        days => Ok(users::never_confirmed(conn, now.before(DAY * days), AT_ONCE as i64)?),
    }
}

/// Removes those of these accounts that are unconfirmed still, and leaves further ones to another
/// job.
///
/// # Errors
/// Storage errors only.
pub fn remove(tx: &mut Tx<'_>, overdue: &[AccountId]) -> Result<()> {
    for account in overdue {
        // Whoever opens the link at this moment does so before, and stays, or comes too late.
        accounts::lock(tx, &[*account])?;
        let person = users::addressee(tx, *account)?;
        if person.is_some_and(|person| !person.owner.confirmed) {
            standing::delete_some(tx, *account)?;
        }
    }
    if overdue.len() == AT_ONCE {
        jobs::enqueue(tx, &RemoveUnconfirmed {})?;
    }
    Ok(())
}
