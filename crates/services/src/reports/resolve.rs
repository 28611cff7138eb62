//! Resolves all open reports about an account, as a part of a decision about it.

use serde::{Deserialize, Serialize};
use siskin_entities::{Actor, AuditAction, TargetKind};
use siskin_ids::{AccountId, ReportId};
use siskin_persistence::{Tx, reports as rows};

use super::handle::name;
use crate::{
    Result, audit,
    jobs::{self, Job},
};

/// Number of reports that one transaction resolves, so that other writers do not wait.
const AT_ONCE: i64 = 100;

/// Job that resolves the other reports if there are many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolveReports {
    pub target: AccountId,
    /// The member of staff that decided; `None` for the operator.
    pub by: Option<AccountId>,
    /// Reports with higher ids came after the decision and stay open.
    pub last: ReportId,
}

impl Job for ResolveReports {
    const KIND: &'static str = "reports.resolve";
}

/// Resolves all open reports about `target`. Each gets an entry of the audit log. If there are
/// many, a job resolves the rest.
///
/// # Errors
/// Storage errors only.
pub fn resolve_about(tx: &mut Tx<'_>, actor: Actor, target: AccountId) -> Result<()> {
    let last = ReportId::new(tx.next_id());
    resolve_some(tx, &ResolveReports { target, by: actor.account(), last })
}

/// Runs one step of [`ResolveReports`], and enqueues another job for the rest.
///
/// # Errors
/// Storage errors only.
pub fn resolve_some(tx: &mut Tx<'_>, job: &ResolveReports) -> Result<()> {
    let open = rows::lock_open_about(tx, job.target, job.last, AT_ONCE)?;
    if open.is_empty() {
        return Ok(());
    }
    rows::resolve(tx, &open, job.by)?;
    let (actor, name) = (job.by.map_or(Actor::Operator, Actor::Staff), name(tx, job.target)?);
    for id in &open {
        let target = audit::target(TargetKind::Report, id.get(), name.as_str());
        audit::record(tx, actor, AuditAction::Resolve, &target)?;
    }
    if i64::try_from(open.len()) == Ok(AT_ONCE) {
        jobs::enqueue(tx, job)?;
    }
    Ok(())
}
