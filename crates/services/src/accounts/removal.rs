//! Deletion of an account by its owner. The account is hidden immediately and deleted step by step.

use serde::{Deserialize, Serialize};
use siskin_ids::AccountId;
use siskin_persistence::{Tx, accounts::Decision, tokens};

use super::moderation;
use crate::{
    Result,
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

/// Ends all access to the account and hides it. A job deletes the rest.
///
/// # Errors
/// [`crate::Error::NotFound`]; [`crate::Error::Invalid`] for the server's only owner.
pub fn begin(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    moderation::decide(tx, account, Decision::Suspended(true))?;
    tokens::delete_of_account(tx, account)?;
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
