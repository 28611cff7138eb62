//! The staff that handle reports.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use siskin_entities::{NotificationKind, Report, ShownReport};
use siskin_ids::{AccountId, ReportId, RoleId};
use siskin_persistence::{
    Conn, accounts,
    notifications::StoredNotification,
    reports as rows,
    roles::{self, RoleHolder},
};
use siskin_policy::{
    reports::handles,
    roles::{Permission, Permissions},
};

use crate::{Result, authentication::authority};

/// Loads the users with a role that lets them handle reports.
fn holders(conn: &mut Conn) -> Result<Vec<RoleHolder>> {
    let may = |bits: i64| Permissions::from_bits(bits).can(Permission::ManageReports);
    let all = roles::permissions(conn)?.into_iter();
    let those: Vec<RoleId> = all.filter(|(_, bits)| may(*bits)).map(|(id, _)| id).collect();
    Ok(roles::role_holders(conn, &those)?)
}

/// Returns the members of staff that handle reports about `target` and can sign in.
pub(super) fn handling(conn: &mut Conn, target: AccountId) -> Result<Vec<AccountId>> {
    let active = holders(conn)?.into_iter().filter(|holder| holder.can_sign_in);
    let mut staff: Vec<AccountId> = active.map(|holder| holder.account).collect();
    if staff.contains(&target) && !is_handled_by(conn, target, target)? {
        staff.retain(|account| *account != target);
    }
    staff.sort_unstable();
    Ok(staff)
}

/// Returns `true` if the account is a member of staff that handles reports about `target`.
pub(crate) fn is_handled_by(
    conn: &mut Conn,
    account: AccountId,
    target: AccountId,
) -> Result<bool> {
    Ok(handles(authority(conn, account)?, target))
}

/// Reports of notifications, as far as their recipients may see them now.
#[derive(Debug, Default)]
pub(crate) struct VisibleReports {
    reports: HashMap<ReportId, Arc<ShownReport>>,
    staff: HashSet<AccountId>,
    /// Members of staff that handle reports about themselves.
    of_themselves: HashSet<AccountId>,
}

impl VisibleReports {
    /// Loads the reports of these notifications. Runs no statement if none is about a report,
    /// otherwise a fixed number, and two for each recipient that was reported itself.
    pub(crate) fn load(conn: &mut Conn, stored: &[StoredNotification]) -> Result<Self> {
        let about: Vec<(AccountId, ReportId)> =
            stored.iter().filter_map(|one| Some((one.recipient, report_of(one)?))).collect();
        if about.is_empty() {
            return Ok(Self::default());
        }
        let ids: HashSet<ReportId> = about.iter().map(|(_, report)| *report).collect();
        let reports = rows::load(conn, &ids.into_iter().collect::<Vec<_>>())?;
        let targets: HashSet<AccountId> = reports.iter().map(|report| report.target).collect();
        let accounts = accounts::load(conn, &targets.iter().copied().collect::<Vec<_>>())?;
        let shown = |report: Report| {
            let target = accounts.get(&report.target).cloned()?;
            Some((report.id, Arc::new(ShownReport { report, target })))
        };
        let reports = reports.into_iter().filter_map(shown).collect();
        let staff: HashSet<AccountId> =
            holders(conn)?.into_iter().map(|holder| holder.account).collect();
        let recipients: HashSet<AccountId> =
            about.iter().map(|(recipient, _)| *recipient).collect();
        let mut of_themselves = HashSet::new();
        for account in recipients.intersection(&targets).filter(|one| staff.contains(one)) {
            if is_handled_by(conn, *account, *account)? {
                of_themselves.insert(*account);
            }
        }
        Ok(Self { reports, staff, of_themselves })
    }

    /// Returns the report of a notification. `None` if it is gone, or the recipient does not handle
    /// it any more.
    pub(crate) fn of(&self, one: &StoredNotification) -> Option<Arc<ShownReport>> {
        let shown = self.reports.get(&report_of(one)?)?;
        let (recipient, target) = (one.recipient, shown.report.target);
        let handles = self.staff.contains(&recipient)
            && (recipient != target || self.of_themselves.contains(&recipient));
        handles.then(|| Arc::clone(shown))
    }
}

/// Returns the report that a notification is about.
fn report_of(one: &StoredNotification) -> Option<ReportId> {
    one.record.filter(|_| one.kind == NotificationKind::AdminReport).map(ReportId::new)
}
