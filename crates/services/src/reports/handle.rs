//! What staff do with reports. Each function locks the report, so that simultaneous ones run one
//! after the other. One that changes nothing succeeds and writes no entry of the audit log.

use siskin_entities::{
    Actor, AuditAction, DecisionResult, Report, ReportAction, ReportCategory, TargetKind,
};
use siskin_ids::{AccountId, ReportId, RuleId};
use siskin_persistence::{Conn, Tx, accounts, reports as rows};
use siskin_policy::{
    reports::{check_rules, handles},
    roles::Authority,
};

use super::create::{category, known_rules, rule_fault, rule_ids};
use crate::{Error, Result, audit};

/// Locks a report that the member of staff handles.
///
/// # Errors
/// [`Error::NotFound`] if there is none, and if it is about that member of staff.
pub(super) fn lock(tx: &mut Tx<'_>, staff: Authority, id: ReportId) -> Result<Report> {
    let found = rows::lock(tx, id)?.filter(|report| handles(staff, report.target));
    found.ok_or(Error::NotFound)
}

/// Assigns a report to the member of staff.
///
/// # Errors
/// [`Error::NotFound`] if there is none, and if it is about that member of staff.
pub fn assign_to_self(tx: &mut Tx<'_>, staff: Authority, id: ReportId) -> Result<()> {
    decide(tx, staff, id, ReportAction::AssignToSelf).map(drop)
}

/// Ends the assignment of a report.
///
/// # Errors
/// As [`assign_to_self`].
pub fn unassign(tx: &mut Tx<'_>, staff: Authority, id: ReportId) -> Result<()> {
    decide(tx, staff, id, ReportAction::Unassign).map(drop)
}

/// Resolves an open report.
///
/// # Errors
/// As [`assign_to_self`].
pub fn resolve(tx: &mut Tx<'_>, staff: Authority, id: ReportId) -> Result<()> {
    decide(tx, staff, id, ReportAction::Resolve).map(drop)
}

/// Opens a resolved report again.
///
/// # Errors
/// As [`assign_to_self`].
pub fn reopen(tx: &mut Tx<'_>, staff: Authority, id: ReportId) -> Result<()> {
    decide(tx, staff, id, ReportAction::Reopen).map(drop)
}

/// Does the same with several reports, each on its own. Returns what happened to each, in the order
/// of the ids. Callers with many pass them in batches, so that other writers do not wait.
///
/// # Errors
/// Storage errors only.
pub fn decide_some(
    tx: &mut Tx<'_>,
    staff: Authority,
    some: &[ReportId],
    action: ReportAction,
) -> Result<Vec<(ReportId, DecisionResult)>> {
    let mut some = some.to_vec();
    // Two callers that lock in this order cannot wait for each other.
    some.sort_unstable();
    let result = |id: ReportId| match decide(tx, staff, id, action) {
        Ok(true) => Ok((id, DecisionResult::Done)),
        Ok(false) => Ok((id, DecisionResult::Unchanged)),
        Err(Error::NotFound) => Ok((id, DecisionResult::NotFound)),
        Err(error) => Err(error),
    };
    some.into_iter().map(result).collect()
}

/// Returns `false` if the report was in this state already.
fn decide(tx: &mut Tx<'_>, staff: Authority, id: ReportId, action: ReportAction) -> Result<bool> {
    let before = lock(tx, staff, id)?;
    let mut report = before.clone();
    let audited = match action {
        ReportAction::AssignToSelf => {
            report.assigned = Some(staff.account);
            AuditAction::Assign
        }
        ReportAction::Unassign => {
            report.assigned = None;
            AuditAction::Unassign
        }
        ReportAction::Resolve => {
            if !report.is_resolved() {
                report.action_taken_at = Some(tx.now());
                report.action_taken_by = Some(staff.account);
            }
            AuditAction::Resolve
        }
        ReportAction::Reopen => {
            report.action_taken_at = None;
            report.action_taken_by = None;
            AuditAction::Reopen
        }
    };
    store(tx, staff, &before, report, audited)
}

/// Stores a changed report with its entry of the audit log. Returns `false` if nothing changed.
fn store(
    tx: &mut Tx<'_>,
    staff: Authority,
    before: &Report,
    mut report: Report,
    action: AuditAction,
) -> Result<bool> {
    if report == *before {
        return Ok(false);
    }
    report.updated_at = tx.now();
    rows::update(tx, &report)?;
    let target = audit::target(TargetKind::Report, report.id.get(), name(tx, report.target)?);
    audit::record(tx, Actor::Staff(staff.account), action, &target)?;
    Ok(true)
}

/// Returns the name of a reported account in the audit log.
pub(super) fn name(conn: &mut Conn, target: AccountId) -> Result<String> {
    let account = accounts::find(conn, target)?;
    Ok(account.map(|account| format!("@{}", account.acct())).unwrap_or_default())
}

/// Checked changes of a report. `None` keeps a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    category: Option<ReportCategory>,
    rules: Option<Vec<RuleId>>,
}

/// Checks changes of a report, as far as they do not depend on stored data.
///
/// # Errors
/// [`Error::Invalid`] for an unknown category, and for a rule that cannot exist.
pub fn prepare_changes(sent: Option<&str>, rules: Option<&[String]>) -> Result<Changes> {
    Ok(Changes { category: category(sent)?, rules: rules.map(rule_ids).transpose()? })
}

/// Changes the category and the rules of a report.
///
/// # Errors
/// As [`assign_to_self`]. [`Error::Invalid`] for a new rule that does not exist, and for a breach
/// of rules that names none.
pub fn update(tx: &mut Tx<'_>, staff: Authority, id: ReportId, changes: &Changes) -> Result<()> {
    let before = lock(tx, staff, id)?;
    let mut report = before.clone();
    report.category = changes.category.unwrap_or(before.category);
    if let Some(rules) = &changes.rules {
        report.rules = Some(rules.clone()).filter(|rules| !rules.is_empty());
    }
    // Rules that the report names already may be deleted.
    let mut known = known_rules(tx)?;
    known.extend(before.rules.iter().flatten());
    let named = report.rules.as_deref().unwrap_or_default();
    check_rules(report.category, named, &known).map_err(rule_fault)?;
    store(tx, staff, &before, report, AuditAction::Update).map(drop)
}
