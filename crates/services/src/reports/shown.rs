//! Reports as staff see them: with accounts, statuses and rules.

use std::collections::{HashMap, HashSet};

use siskin_entities::{AdminReport, Page, PageRequest, Report, Rule, ShownReport, Status};
use siskin_ids::{AccountId, ReportId, RuleId, StatusId};
use siskin_persistence::{
    Conn, accounts as account_rows,
    reports::{self as rows, ReportSelection},
    rules, statuses,
};
use siskin_policy::{reports::handles, roles::Authority};

use crate::{Error, Result, moderation};

/// Which reports are listed, as sent by the client. Absent values restrict nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// Only resolved reports; otherwise only open ones.
    pub is_resolved: bool,
    /// Id of the reporter. An unknown id matches nothing.
    pub account: Option<String>,
    /// Id of the reported account. An unknown id matches nothing.
    pub target: Option<String>,
    /// Only reports that the member of staff works on, by and about anyone.
    pub is_own: bool,
}

/// Returns the parsed id, `Some(None)` if the client sent none, or `None` if nothing can match.
fn filter(sent: Option<&str>) -> Option<Option<AccountId>> {
    match sent.filter(|id| !id.is_empty()) {
        None => Some(None),
        Some(id) => id.parse().ok().map(Some),
    }
}

/// Loads a page of the reports that the member of staff handles, newest first. The number of
/// statements does not depend on their number.
///
/// # Errors
/// Storage errors only.
pub fn list(
    conn: &mut Conn,
    staff: Authority,
    selection: &Selection,
    request: PageRequest,
) -> Result<Page<AdminReport>> {
    let account = filter(selection.account.as_deref());
    let target = filter(selection.target.as_deref());
    let (Some(account), Some(target)) = (account, target) else {
        return Ok(Page::of(Vec::new(), request.limit, |_| 0));
    };
    let assigned = selection.is_own.then_some(staff.account);
    let not_about = (!handles(staff, staff.account)).then_some(staff.account);
    let is_resolved = selection.is_resolved;
    let selection = ReportSelection { is_resolved, account, target, assigned, not_about };
    let mut page = rows::list(conn, selection, request)?;
    let reports = std::mem::take(&mut page.items);
    let complete = complete(conn, staff.account, reports)?;
    Ok(page.with_items(complete))
}

/// Returns one report that the member of staff handles.
///
/// # Errors
/// [`Error::NotFound`] if there is none, and if it is about that member of staff.
pub fn show(conn: &mut Conn, staff: Authority, id: ReportId) -> Result<AdminReport> {
    let report = rows::find(conn, id)?.filter(|report| handles(staff, report.target));
    let report = report.ok_or(Error::NotFound)?;
    complete(conn, staff.account, vec![report])?.pop().ok_or(Error::NotFound)
}

/// Loads those of these reports that the member of staff handles, with the reported accounts, in no
/// particular order. Runs two statements.
///
/// # Errors
/// Storage errors only.
pub fn load(conn: &mut Conn, staff: Authority, ids: &[ReportId]) -> Result<Vec<ShownReport>> {
    let mut reports = rows::load(conn, ids)?;
    reports.retain(|report| handles(staff, report.target));
    let targets: HashSet<AccountId> = reports.iter().map(|report| report.target).collect();
    let targets = account_rows::load(conn, &targets.into_iter().collect::<Vec<_>>())?;
    let shown = |report: Report| {
        let target = targets.get(&report.target).cloned()?;
        Some(ShownReport { report, target })
    };
    Ok(reports.into_iter().filter_map(shown).collect())
}

/// Loads what these reports refer to. Statuses of every visibility are shown.
fn complete(conn: &mut Conn, viewer: AccountId, reports: Vec<Report>) -> Result<Vec<AdminReport>> {
    if reports.is_empty() {
        return Ok(Vec::new());
    }
    let named = |report: &Report| {
        let staff = [report.assigned, report.action_taken_by].into_iter().flatten();
        [report.account, report.target].into_iter().chain(staff)
    };
    let accounts: HashSet<AccountId> = reports.iter().flat_map(named).collect();
    let accounts = accounts.into_iter().collect::<Vec<_>>();
    let accounts = moderation::accounts::load(conn, &accounts)?;
    let ids: HashSet<StatusId> =
        reports.iter().flat_map(|report| &report.statuses).copied().collect();
    let ids: Vec<StatusId> = ids.into_iter().collect();
    let statuses: HashMap<StatusId, Status> = statuses::load(conn, &ids, Some(viewer))?
        .into_iter()
        .map(|status| (status.body.id, status))
        .collect();
    let rules: HashMap<RuleId, Rule> =
        rules::list(conn)?.into_iter().map(|rule| (rule.id, rule)).collect();
    let shown = |report: Report| {
        let staff = |id: Option<AccountId>| id.and_then(|id| accounts.get(&id)).cloned();
        Some(AdminReport {
            account: accounts.get(&report.account)?.clone(),
            target: accounts.get(&report.target)?.clone(),
            assigned: staff(report.assigned),
            action_taken_by: staff(report.action_taken_by),
            statuses: report.statuses.iter().filter_map(|id| statuses.get(id)).cloned().collect(),
            rules: report.rules.iter().flatten().filter_map(|id| rules.get(id)).cloned().collect(),
            report,
        })
    };
    Ok(reports.into_iter().filter_map(shown).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_cannot_exist_matches_nothing() {
        assert_eq!(filter(None), Some(None));
        assert_eq!(filter(Some("")), Some(None));
        assert_eq!(filter(Some("7")), Some(Some(AccountId::new(7))));
        assert_eq!(filter(Some("x")), None);
    }
}
