//! Deletion of an account by its owner. The account is hidden immediately and deleted step by step.

use serde::{Deserialize, Serialize};
use siskin_ids::AccountId;
use siskin_persistence::{
    Tx,
    accounts::{self as rows, Decision},
    sessions, tokens,
    users::{self, EmailRecipient},
};

use super::{moderation, owners};
use crate::{
    Error, Result,
    emails::{self, Email},
    exports,
    jobs::{self, Job},
};

/// Job that deletes an account permanently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoveAccount {
    pub account: AccountId,
}

impl Job for RemoveAccount {
    const KIND: &'static str = "remove_account";
}

/// Ends all access to the account and hides it. A job deletes the rest. The owner gets an email, if
/// the address is confirmed. Works for suspended accounts, too. Of several simultaneous calls, one
/// deletes.
///
/// # Errors
/// [`Error::NotFound`], also if the account is being deleted already; [`Error::Invalid`] for the
/// server's only owner.
pub fn begin(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    owners::lock_with(tx, account)?;
    if rows::ending(tx, account)?.deleting_since.is_some() {
        return Err(Error::NotFound);
    }
    moderation::decide(tx, account, Decision::Suspended(true))?;
    if let Some(user) = users::recipient(tx, account)?.filter(|user| user.owner.confirmed) {
        let EmailRecipient { username, email, .. } = user;
        emails::enqueue(tx, Email::AccountDeleted { username, email })?;
    }
    begin_suspended(tx, account)
}

/// Deletes a suspended account by a job. From now on, the suspension cannot be undone.
pub(crate) fn begin_suspended(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    rows::begin_deletion(tx, account)?;
    tokens::delete_of_account(tx, account)?;
    sessions::delete_others(tx, account, None)?;
    exports::discard(tx, account)?;
    jobs::enqueue(tx, &RemoveAccount { account })?;
    Ok(())
}

/// Runs one step of [`RemoveAccount`], and enqueues another job for the rest.
///
/// # Errors
/// Storage errors only.
pub fn remove_step(tx: &mut Tx<'_>, job: &RemoveAccount) -> Result<()> {
    if !moderation::delete_some(tx, job.account)? {
        jobs::enqueue(tx, job)?;
    }
    Ok(())
}
