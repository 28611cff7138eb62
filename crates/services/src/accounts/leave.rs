//! A person leaves: nothing of the account is shown from that moment on, and everything of it is
//! removed, bit by bit.

use serde::{Deserialize, Serialize};
use siskin_ids::AccountId;
use siskin_persistence::{Tx, accounts::Decision, tokens};

use super::standing;
use crate::{
    Result,
    jobs::{self, Job},
};

/// Remove an account for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoveAccount {
    pub account: AccountId,
}

impl Job for RemoveAccount {
    const KIND: &'static str = "remove_account";
}

/// Ends every way in and hides the account; the rest is a job's.
///
/// # Errors
/// [`crate::Error::NotFound`]; [`crate::Error::Invalid`] for the server's only owner.
pub fn begin(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    standing::decide(tx, account, Decision::Suspended(true))?;
    tokens::delete_of_person(tx, account)?;
    jobs::enqueue(tx, &RemoveAccount { account })?;
    Ok(())
}

/// Does a part of [`RemoveAccount`] and leaves the rest as another job.
///
/// # Errors
/// Storage errors only.
pub fn go_on(tx: &mut Tx<'_>, job: &RemoveAccount) -> Result<()> {
    if !standing::delete_some(tx, job.account)? {
        jobs::enqueue(tx, job)?;
    }
    Ok(())
}
