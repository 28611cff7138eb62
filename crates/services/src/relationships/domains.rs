//! Domain blocks of accounts.

use serde::{Deserialize, Serialize};
use siskin_entities::{Urls, relationship::Action};
use siskin_ids::AccountId;
use siskin_persistence::{Tx, accounts as account_rows, relationships as rows};
use siskin_policy::limits::MAX_BLOCKED_DOMAINS;
use siskin_text::normalise_domain;

use super::act;
use crate::{
    Error, Result,
    jobs::{self, Job},
};

/// Number of accounts that are processed in one transaction. Each costs some statements, and other
/// writers must not wait long.
const SEVER_BATCH: i64 = 50;

/// Job that ends the follows and follow requests between an account and a server that it blocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeverFromServer {
    pub account: AccountId,
    /// In its stored form.
    pub domain: String,
}

impl Job for SeverFromServer {
    const KIND: &'static str = "relationships.part_from_server";
}

/// Blocks a server for an account: hides all of its accounts, and ends the follows in both
/// directions. A repeat is no error.
///
/// # Errors
/// [`Error::Invalid`] if the text is no domain, for the domain of this server, and if the account
/// blocks [`MAX_BLOCKED_DOMAINS`] others.
pub fn block_domain(tx: &mut Tx<'_>, urls: &Urls, account: AccountId, typed: &str) -> Result<()> {
    let domain = domain(typed)?;
    if urls.is_own_domain(&domain) {
        return Err(Error::validation("Domain is that of this server"));
    }
    require_room(tx, account, &domain)?;
    // The row of the block locks the version of the account's relations (migration 0036). So the
    // accounts are locked first, as before every other change of relations.
    lock_related(tx, account, &domain)?;
    rows::block_domain(tx, account, &domain)?;
    sever_from_server(tx, &SeverFromServer { account, domain })
}

/// Locks an account and the first accounts of the server that have a relation with it. Returns the
/// latter. Locks all at once and in order, so that two of these transactions cannot deadlock.
fn lock_related(tx: &mut Tx<'_>, account: AccountId, domain: &str) -> Result<Vec<AccountId>> {
    let related = rows::related_to_domain(tx, account, domain, SEVER_BATCH)?;
    let all: Vec<AccountId> = related.iter().copied().chain([account]).collect();
    account_rows::lock(tx, &all)?;
    Ok(related)
}

/// Checks the limit. Does not lock the account, because it is locked later together with the
/// accounts of the ended follows. So simultaneous requests can exceed the limit by their number.
fn require_room(tx: &mut Tx<'_>, account: AccountId, domain: &str) -> Result<()> {
    if rows::blocks_domain(tx, account, domain)?
        || rows::count_blocked_domains(tx, account)? < MAX_BLOCKED_DOMAINS
    {
        return Ok(());
    }
    Err(Error::validation(format!("At most {MAX_BLOCKED_DOMAINS} domains can be blocked")))
}

/// Removes the block of a server. Follows that it ended are not restored. A missing block is no
/// error.
///
/// # Errors
/// [`Error::Invalid`] if the text is no domain.
pub fn unblock_domain(tx: &mut Tx<'_>, account: AccountId, typed: &str) -> Result<()> {
    Ok(rows::unblock_domain(tx, account, &domain(typed)?)?)
}

fn domain(typed: &str) -> Result<String> {
    normalise_domain(typed).ok_or_else(|| Error::validation("Domain is not a valid domain name"))
}

/// Runs one step of [`SeverFromServer`], and enqueues another job for the rest. Does nothing if the
/// block was removed.
///
/// # Errors
/// Storage errors only.
pub fn sever_from_server(tx: &mut Tx<'_>, job: &SeverFromServer) -> Result<()> {
    if !rows::blocks_domain(tx, job.account, &job.domain)? {
        return Ok(());
    }
    let related = lock_related(tx, job.account, &job.domain)?;
    for other in &related {
        act(tx, job.account, *other, &Action::BlockServer)?;
    }
    // Either there are too many for one step, or a follow began after the query and before the
    // lock. The request of such a follow did not see the block yet.
    if !rows::related_to_domain(tx, job.account, &job.domain, 1)?.is_empty() {
        jobs::enqueue(tx, job)?;
    }
    Ok(())
}
