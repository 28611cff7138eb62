//! What the pages of the staff show: how much work waits, and an account with everything that the
//! moderators know about it. Each person sees only what the role allows.

use std::{collections::HashSet, sync::Arc};

use siskin_entities::{
    Account, AdminAccount, AdminReport, Page, PageRequest, Role, Status, Strike, ViewerRelations,
};
use siskin_ids::{AccountId, StatusId};
use siskin_persistence::{
    Conn, IdMap, accounts as rows, admin_accounts, reports as report_rows, roles as role_rows,
    second_factors,
    statuses::{self as status_rows, ProfileFilter, profile_candidates},
    stored_jobs, strikes as strike_rows,
};
use siskin_policy::{
    reports::handles,
    roles::{Authority, Permission, RoleEditor, may_assign},
};

use super::accounts;
use crate::{
    Result,
    reports::{self, Selection},
    trends::review::count_waiting,
};

/// Largest number of waiting entries that is counted. If there are more, the count is one more.
pub const MOST_COUNTED: i64 = 1000;
/// Number of strikes and of reports of each state on the page of an account.
const SHOWN: i64 = 20;

/// Numbers of what waits for a decision. `None` for work that the role does not include.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WaitingWork {
    pub sign_ups: Option<usize>,
    pub reports: Option<usize>,
    pub appeals: Option<usize>,
    pub trends: Option<usize>,
    pub dead_jobs: Option<usize>,
}

/// Counts what waits for this member of staff. Runs at most eight statements.
///
/// # Errors
/// Storage errors only.
pub fn waiting_work(conn: &mut Conn, staff: Authority) -> Result<WaitingWork> {
    const MOST: i64 = MOST_COUNTED + 1;
    let mut work = WaitingWork::default();
    if staff.can(Permission::ManageUsers) {
        work.sign_ups = Some(admin_accounts::count_pending(conn, MOST)?);
    }
    if staff.can(Permission::ManageReports) {
        let not_about = (!handles(staff, staff.account)).then_some(staff.account);
        work.reports = Some(report_rows::count_open(conn, not_about, MOST)?);
    }
    if staff.can(Permission::ManageAppeals) {
        work.appeals = Some(strike_rows::count_pending_appeals(conn, MOST)?);
    }
    if staff.can(Permission::ManageTaxonomies) {
        work.trends = Some(count_waiting(conn)?);
    }
    if staff.can(Permission::Devops) {
        work.dead_jobs = Some(stored_jobs::count_dead(conn, MOST)?);
    }
    Ok(work)
}

/// A strike with its moderator, for staff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownStrike {
    pub strike: Strike,
    /// `None` for the operator, and if the account is deleted.
    pub moderator: Option<Arc<Account>>,
}

/// An account with everything that staff see of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountOverview {
    pub account: AdminAccount,
    /// Who invited the user.
    pub inviter: Option<Arc<Account>>,
    /// Whether the data of the account are being deleted.
    pub is_being_deleted: bool,
    /// Whether the rank of the member of staff allows to act on the account.
    pub is_below: bool,
    /// Whether the user has a second factor that the member of staff may remove.
    pub has_removable_factor: bool,
    /// The newest strikes.
    pub strikes: Vec<ShownStrike>,
    /// The newest open and the newest resolved reports. Empty if the role does not include reports.
    pub open_reports: Vec<AdminReport>,
    pub resolved_reports: Vec<AdminReport>,
    /// Roles that the member of staff may give the user, the highest first. `None` if that person
    /// may not change the role.
    pub roles: Option<Vec<Role>>,
}

/// Loads an account with everything that the member of staff sees of it. Runs a fixed number of
/// statements.
///
/// # Errors
/// [`crate::Error::NotFound`] if there is none with this id, and for a rejected sign-up.
pub fn account(conn: &mut Conn, staff: Authority, id: AccountId) -> Result<AccountOverview> {
    let account = accounts::find(conn, id)?;
    let strikes = strike_rows::of_account(conn, id, PageRequest::newest(SHOWN))?.items;
    let inviter = account.user.as_ref().and_then(|user| user.invited_by);
    let people = people(conn, &strikes, inviter)?;
    let person = |id: Option<AccountId>| id.and_then(|id| people.get(&id)).map(Arc::clone);
    let shown = |strike: Strike| ShownStrike { moderator: person(strike.moderator), strike };
    let is_below = outranks(staff, &account);
    Ok(AccountOverview {
        inviter: person(inviter),
        is_being_deleted: rows::ending(conn, id)?.deleting_since.is_some(),
        has_removable_factor: is_below
            && staff.can(Permission::ManageUserAccess)
            && second_factors::exists(conn, id)?,
        is_below,
        strikes: strikes.into_iter().map(shown).collect(),
        open_reports: reports_about(conn, staff, id, false)?,
        resolved_reports: reports_about(conn, staff, id, true)?,
        roles: if is_below { assignable(conn, staff, &account)? } else { None },
        account,
    })
}

/// Returns `true` if the rank of the member of staff allows to act on the account.
#[must_use]
pub fn outranks(staff: Authority, account: &AdminAccount) -> bool {
    staff.outranks(rank(account))
}

fn rank(account: &AdminAccount) -> i32 {
    let role = account.user.as_ref().and_then(|user| user.role.as_ref());
    role.map_or(0, |role| role.position)
}

fn people(
    conn: &mut Conn,
    strikes: &[Strike],
    inviter: Option<AccountId>,
) -> Result<IdMap<AccountId, Arc<Account>>> {
    let moderators = strikes.iter().filter_map(|strike| strike.moderator);
    let ids: HashSet<AccountId> = moderators.chain(inviter).collect();
    Ok(rows::load(conn, &ids.into_iter().collect::<Vec<_>>())?)
}

fn reports_about(
    conn: &mut Conn,
    staff: Authority,
    target: AccountId,
    is_resolved: bool,
) -> Result<Vec<AdminReport>> {
    if !staff.can(Permission::ManageReports) {
        return Ok(Vec::new());
    }
    let target = Some(target.to_string());
    let selection = Selection { is_resolved, target, ..Selection::default() };
    Ok(reports::list(conn, staff, &selection, PageRequest::newest(SHOWN))?.items)
}

/// Returns the roles that the member of staff may give the user of an account below.
fn assignable(
    conn: &mut Conn,
    staff: Authority,
    account: &AdminAccount,
) -> Result<Option<Vec<Role>>> {
    if account.user.is_none() || !staff.can(Permission::ManageRoles) {
        return Ok(None);
    }
    let editor = RoleEditor::Staff { authority: staff, role: None };
    let all = role_rows::all(conn)?.into_iter();
    Ok(Some(all.filter(|role| may_assign(editor, rank(account), Some(role)).is_ok()).collect()))
}

/// Returns `true` if [`statuses`] lists this status for the account.
pub(super) fn is_listed(status: &Status, account: AccountId) -> bool {
    let body = &status.body;
    body.account.id == account && status.reblog.is_none() && body.visibility.is_open()
}

/// Loads a page of the own statuses of an account that anyone may read, in any state of the
/// account. Staff see other statuses only in reports.
///
/// # Errors
/// Storage errors only.
pub fn statuses(
    conn: &mut Conn,
    staff: Authority,
    account: AccountId,
    request: PageRequest,
) -> Result<Page<Status>> {
    let filter = ProfileFilter { exclude_reblogs: true, ..ProfileFilter::default() };
    let anyone = ViewerRelations::default();
    let candidates = profile_candidates(conn, account, &anyone, filter, request)?;
    let page = Page::of(candidates, request.limit, |one| one.id.get());
    let ids: Vec<StatusId> = page.items.iter().map(|one| one.id).collect();
    let loaded = status_rows::load(conn, &ids, Some(staff.account))?;
    Ok(page.with_items(loaded))
}
