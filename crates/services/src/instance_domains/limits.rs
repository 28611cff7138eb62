//! Jobs that limit the accounts of a domain as its block says, and restore them at its end.
//!
//! The jobs do not know what was decided. They compare the accounts with the blocks at that time,
//! so their order does not matter.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use siskin_entities::DomainSeverity;
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn, Tx, accounts as account_rows,
    doctor::{self, LimitedAccounts},
    instance_domains as rows, jobs as job_rows,
};
use siskin_policy::domains::{covering, rule_for};

use super::blocks::list_all;
use crate::{
    Result,
    jobs::{self, Job},
};

/// Number of accounts of one transaction, so that other writers do not wait.
const ACCOUNTS_AT_ONCE: i64 = 200;
/// Number of known domains that one job looks at.
const DOMAINS_AT_ONCE: i64 = 2000;

/// Job that limits the accounts of exactly this domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitDomain {
    pub domain: String,
    /// The last account of the previous step. `None` at the beginning.
    pub after: Option<AccountId>,
}

impl LimitDomain {
    fn of(domain: &str) -> Self {
        Self { domain: domain.to_owned(), after: None }
    }
}

impl Job for LimitDomain {
    const KIND: &'static str = "instance_domains.limit";
}

/// Job that finds all known domains that blocks of these domains cover, and enqueues
/// [`LimitDomain`] for each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitKnownDomains {
    pub domains: Vec<String>,
    /// The last known domain of the previous step.
    pub after: String,
}

impl Job for LimitKnownDomains {
    const KIND: &'static str = "instance_domains.limit_known";
}

/// Result of a step of [`LimitKnownDomains`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Walk {
    /// Known domains that the blocks cover.
    pub found: Vec<String>,
    /// The rest of the job. `None` at the end.
    pub rest: Option<LimitKnownDomains>,
}

/// Enqueues the jobs for a block that was created, changed or deleted.
pub(super) fn enqueue(tx: &mut Tx<'_>, domain: &str) -> Result<()> {
    // The domain itself first, because most known accounts are there.
    jobs::enqueue(tx, &LimitDomain::of(domain))?;
    enqueue_known(tx, vec![domain.to_owned()])
}

/// Enqueues a job for all known domains that blocks of these domains cover.
pub(super) fn enqueue_known(tx: &mut Tx<'_>, domains: Vec<String>) -> Result<()> {
    if !domains.is_empty() {
        jobs::enqueue(tx, &LimitKnownDomains { domains, after: String::new() })?;
    }
    Ok(())
}

/// Runs a step of [`LimitDomain`], and enqueues the next one.
///
/// # Errors
/// Storage errors only.
pub fn limit_domain(tx: &mut Tx<'_>, job: &LimitDomain) -> Result<()> {
    let ids = limit_some(tx, &job.domain, job.after)?;
    if let Some(after) = last_of_many(&ids) {
        jobs::enqueue(tx, &LimitDomain { domain: job.domain.clone(), after: Some(after) })?;
    }
    Ok(())
}

/// Limits the next accounts of a domain as its block says, and returns them.
fn limit_some(tx: &mut Tx<'_>, domain: &str, after: Option<AccountId>) -> Result<Vec<AccountId>> {
    let ids = rows::accounts_of(tx, domain, after, ACCOUNTS_AT_ONCE)?;
    if !ids.is_empty() {
        // Locked before the blocks are read: a simultaneous change of a block is either read here,
        // or its own job waits for this transaction.
        account_rows::lock(tx, &ids)?;
        let severity = ruling(tx, domain)?;
        rows::limit(tx, &ids, severity)?;
    }
    Ok(ids)
}

/// Returns the last one of these accounts of a domain, if there may be more.
fn last_of_many(ids: &[AccountId]) -> Option<AccountId> {
    let is_full = i64::try_from(ids.len()).is_ok_and(|found| found == ACCOUNTS_AT_ONCE);
    ids.last().copied().filter(|_| is_full)
}

/// A server with accounts that are not limited as the domain blocks say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WronglyLimited {
    pub domain: String,
    /// Number of accounts.
    pub count: i64,
}

/// Returns the servers with accounts that are not limited as the domain blocks say. Returns none
/// while a job is still about to limit accounts.
///
/// # Errors
/// Storage errors only.
pub fn wrongly_limited(conn: &mut Conn) -> Result<Vec<WronglyLimited>> {
    for kind in [LimitDomain::KIND, LimitKnownDomains::KIND] {
        if !job_rows::payloads(conn, kind)?.is_empty() {
            return Ok(Vec::new());
        }
    }
    let blocks = list_all(conn)?;
    let severities: HashMap<&str, DomainSeverity> =
        blocks.iter().map(|block| (block.domain.as_str(), block.limits.severity)).collect();
    let ruling = |domain: &str| {
        let ruling = covering(domain).into_iter().find_map(|it| severities.get(it).copied());
        ruling.unwrap_or(DomainSeverity::Noop)
    };
    let mut wrong = BTreeMap::<String, i64>::new();
    for LimitedAccounts { domain, severity, is_applied, count } in doctor::limited_accounts(conn)? {
        if severity != ruling(&domain) || !is_applied {
            *wrong.entry(domain).or_default() += count;
        }
    }
    Ok(wrong.into_iter().map(|(domain, count)| WronglyLimited { domain, count }).collect())
}

/// Limits some accounts of a domain as its block says, those after `after`, and corrects their state
/// if it does not fit. Returns the last one if there may be more.
///
/// # Errors
/// Storage errors only.
pub fn limit_again(
    tx: &mut Tx<'_>,
    domain: &str,
    after: Option<AccountId>,
) -> Result<Option<AccountId>> {
    let ids = limit_some(tx, domain, after)?;
    rows::apply_again(tx, &ids)?;
    Ok(last_of_many(&ids))
}

/// Limits a new account as the block of its domain says. Call it in the transaction that creates a
/// remote account.
///
/// # Errors
/// Storage errors only.
pub fn limit_new_account(tx: &mut Tx<'_>, account: AccountId, domain: &str) -> Result<()> {
    let severity = ruling(tx, domain)?;
    if severity > DomainSeverity::Noop {
        rows::limit(tx, &[account], severity)?;
    }
    Ok(())
}

/// Returns the severity of the block that rules a domain, or `Noop` if there is none.
fn ruling(conn: &mut Conn, domain: &str) -> Result<DomainSeverity> {
    let blocks = rows::covering(conn, covering(domain))?;
    Ok(rule_for(domain, &blocks).map_or(DomainSeverity::Noop, |block| block.limits.severity))
}

/// Finds known domains for a step of [`LimitKnownDomains`].
///
/// # Errors
/// Storage errors only.
pub fn walk(conn: &mut Conn, job: &LimitKnownDomains) -> Result<Walk> {
    let known = rows::domains_after(conn, &job.after, DOMAINS_AT_ONCE)?;
    let is_full = i64::try_from(known.len()).is_ok_and(|found| found == DOMAINS_AT_ONCE);
    let rest = known
        .last()
        .filter(|_| is_full)
        .map(|last| LimitKnownDomains { domains: job.domains.clone(), after: last.clone() });
    let blocked: HashSet<&str> = job.domains.iter().map(String::as_str).collect();
    let is_covered = |known: &String| covering(known).iter().any(|it| blocked.contains(it));
    Ok(Walk { found: known.into_iter().filter(is_covered).collect(), rest })
}

/// Enqueues the jobs for the result of [`walk`].
///
/// # Errors
/// Storage errors only.
pub fn limit_found(tx: &mut Tx<'_>, walk: &Walk) -> Result<()> {
    for some in walk.found.chunks(500) {
        let found: Vec<LimitDomain> = some.iter().map(|domain| LimitDomain::of(domain)).collect();
        let now = tx.now();
        jobs::enqueue_many_at(tx, &found, now)?;
    }
    if let Some(rest) = &walk.rest {
        jobs::enqueue(tx, rest)?;
    }
    Ok(())
}
