//! Blocking whole servers.

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

/// How many ties are cut at once: each costs some statements, and the writer must not be held for
/// long.
const PARTED_AT_ONCE: i64 = 50;

/// Ends the follows and requests between an account and a server that it blocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartFromServer {
    pub account: AccountId,
    /// In its stored form.
    pub domain: String,
}

impl Job for PartFromServer {
    const KIND: &'static str = "relationships.part_from_server";
}

/// Blocks a server for an account: nothing of its accounts is shown, and nobody there follows or
/// is followed any more. A repeat is no error.
///
/// # Errors
/// [`Error::Invalid`] for what is no domain, for this server's own, and if the account blocks
/// [`MAX_BLOCKED_DOMAINS`] others.
pub fn block_domain(tx: &mut Tx<'_>, urls: &Urls, account: AccountId, typed: &str) -> Result<()> {
    let domain = domain(typed)?;
    if domain == urls.domain() {
        return Err(Error::validation("Domain is that of this server"));
    }
    require_room(tx, account, &domain)?;
    rows::block_domain(tx, account, &domain)?;
    part_from_server(tx, &PartFromServer { account, domain })
}

/// Does not lock the account: the follows to be cut are locked together with it. Requests at the same
/// moment can exceed the limit by their number.
fn require_room(tx: &mut Tx<'_>, account: AccountId, domain: &str) -> Result<()> {
    if rows::blocks_domain(tx, account, domain)?
        || rows::count_blocked_domains(tx, account)? < MAX_BLOCKED_DOMAINS
    {
        return Ok(());
    }
    Err(Error::validation(format!("At most {MAX_BLOCKED_DOMAINS} domains can be blocked")))
}

/// Takes the block of a server back; what it undid stays undone. One that is not there is no
/// error.
///
/// # Errors
/// [`Error::Invalid`] for what is no domain.
pub fn unblock_domain(tx: &mut Tx<'_>, account: AccountId, typed: &str) -> Result<()> {
    Ok(rows::unblock_domain(tx, account, &domain(typed)?)?)
}

fn domain(typed: &str) -> Result<String> {
    normalise_domain(typed).ok_or_else(|| Error::validation("Domain is not a valid domain name"))
}

/// Does a part of [`PartFromServer`] and leaves the rest as another job. Nothing is left to do
/// where the block was taken back.
///
/// # Errors
/// Storage errors only.
pub fn part_from_server(tx: &mut Tx<'_>, job: &PartFromServer) -> Result<()> {
    if !rows::blocks_domain(tx, job.account, &job.domain)? {
        return Ok(());
    }
    let tied = rows::tied_to_domain(tx, job.account, &job.domain, PARTED_AT_ONCE)?;
    // All at once and in order, and none before: two of these do not wait for each other.
    let all: Vec<AccountId> = tied.iter().copied().chain([job.account]).collect();
    account_rows::lock(tx, &all)?;
    for other in &tied {
        act(tx, job.account, *other, &Action::BlockServer)?;
    }
    // Too many for now, or tied after the look and before the lock, by one who did not see the
    // block yet.
    if !rows::tied_to_domain(tx, job.account, &job.domain, 1)?.is_empty() {
        jobs::enqueue(tx, job)?;
    }
    Ok(())
}
