//! Reports of accounts to the staff. Their state is decided by services; notes are in a module.

mod notes;

use diesel::prelude::*;
use siskin_entities::{Page, PageRequest, Report, ReportCategory, Timestamp};
use siskin_ids::{AccountId, ReportId, RuleId, StatusId};

use crate::{
    Conn, Error, Result, Tx,
    conn::OnEngine,
    equals_any::IdExpression as _,
    page::{cut_rows, page},
    schema::{reports, statuses},
};

pub use notes::{add_note, delete_note, note_author, notes};

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = reports)]
struct ReportRow {
    id: ReportId,
    account_id: AccountId,
    target_account_id: AccountId,
    category: String,
    comment: String,
    forwarded: bool,
    status_ids: String,
    rule_ids: Option<String>,
    assigned_account_id: Option<AccountId>,
    action_taken_at: Option<i64>,
    action_taken_by_account_id: Option<AccountId>,
    created_at: i64,
    updated_at: i64,
}

impl TryFrom<ReportRow> for Report {
    type Error = Error;

    fn try_from(row: ReportRow) -> Result<Self> {
        let at = Timestamp::from_unix_ms;
        let rules = row.rule_ids.as_deref().map(serde_json::from_str).transpose();
        Ok(Self {
            id: row.id,
            account: row.account_id,
            target: row.target_account_id,
            category: row.category.parse().map_err(|_| Error::Damaged("reports.category"))?,
            comment: row.comment,
            forwarded: row.forwarded,
            statuses: serde_json::from_str(&row.status_ids)
                .map_err(|_| Error::Damaged("reports.status_ids"))?,
            rules: rules.map_err(|_| Error::Damaged("reports.rule_ids"))?,
            assigned: row.assigned_account_id,
            action_taken_at: row.action_taken_at.map(at),
            action_taken_by: row.action_taken_by_account_id,
            created_at: at(row.created_at),
            updated_at: at(row.updated_at),
        })
    }
}

fn statuses_to_json(statuses: &[StatusId]) -> Result<String> {
    serde_json::to_string(statuses).map_err(|_| Error::Damaged("reports.status_ids"))
}

fn rules_to_json(rules: Option<&[RuleId]>) -> Result<Option<String>> {
    let rules = rules.map(serde_json::to_string).transpose();
    rules.map_err(|_| Error::Damaged("reports.rule_ids"))
}

/// A new report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewReport<'a> {
    /// The reporter.
    pub account: AccountId,
    /// The reported account.
    pub target: AccountId,
    pub category: ReportCategory,
    pub comment: &'a str,
    pub forwarded: bool,
    pub statuses: &'a [StatusId],
    /// `None` if the reporter named none.
    pub rules: Option<&'a [RuleId]>,
}

/// Inserts an open report.
pub fn insert(tx: &mut Tx<'_>, new: &NewReport<'_>) -> Result<Report> {
    let (id, now) = (ReportId::new(tx.next_id()), tx.now());
    diesel::insert_into(reports::table)
        .values((
            reports::id.eq(id),
            reports::account_id.eq(new.account),
            reports::target_account_id.eq(new.target),
            reports::category.eq(new.category.as_str()),
            reports::comment.eq(new.comment),
            reports::forwarded.eq(new.forwarded),
            reports::status_ids.eq(statuses_to_json(new.statuses)?),
            reports::rule_ids.eq(rules_to_json(new.rules)?),
            reports::created_at.eq(now.unix_ms()),
            reports::updated_at.eq(now.unix_ms()),
        ))
        .execute(&mut **tx)?;
    Ok(Report {
        id,
        account: new.account,
        target: new.target,
        category: new.category,
        comment: new.comment.to_owned(),
        forwarded: new.forwarded,
        statuses: new.statuses.to_vec(),
        rules: new.rules.map(<[RuleId]>::to_vec),
        assigned: None,
        action_taken_at: None,
        action_taken_by: None,
        created_at: now,
        updated_at: now,
    })
}

/// Returns `true` if some of these statuses have another author. Unknown ids have none.
pub fn has_other_author(conn: &mut Conn, author: AccountId, ids: &[StatusId]) -> Result<bool> {
    if ids.is_empty() {
        return Ok(false);
    }
    let other = statuses::table
        .filter(statuses::id.equals_any(ids))
        .filter(statuses::account_id.ne(author))
        .select(statuses::id);
    Ok(other.first::<StatusId>(conn).optional()?.is_some())
}

/// Loads the report with this id.
pub fn find(conn: &mut Conn, id: ReportId) -> Result<Option<Report>> {
    let row: Option<ReportRow> =
        reports::table.find(id).select(ReportRow::as_select()).first(conn).optional()?;
    row.map(Report::try_from).transpose()
}

/// Loads the reports with these ids, in no particular order. Leaves out unknown ids.
pub fn load(conn: &mut Conn, ids: &[ReportId]) -> Result<Vec<Report>> {
    let rows: Vec<ReportRow> = reports::table
        .filter(reports::id.equals_any(ids))
        .select(ReportRow::as_select())
        .load(conn)?;
    rows.into_iter().map(Report::try_from).collect()
}

/// Locks a report against changes by others until the transaction ends, and loads it.
pub fn lock(tx: &mut Tx<'_>, id: ReportId) -> Result<Option<Report>> {
    let row = reports::table.find(id).select(reports::id);
    let found: Option<ReportId> = match tx.on_engine() {
        OnEngine::Postgres(pg) => row.for_update().first(pg).optional()?,
        // SQLite has one writer at a time, and this transaction is it.
        OnEngine::Sqlite(sqlite) => row.first(sqlite).optional()?,
    };
    match found {
        Some(id) => find(tx, id),
        None => Ok(None),
    }
}

/// Stores what staff can change of a report: category, rules, assignment and resolution.
pub fn update(tx: &mut Tx<'_>, report: &Report) -> Result<()> {
    diesel::update(reports::table.find(report.id))
        .set((
            reports::category.eq(report.category.as_str()),
            reports::rule_ids.eq(rules_to_json(report.rules.as_deref())?),
            reports::assigned_account_id.eq(report.assigned),
            reports::action_taken_at.eq(report.action_taken_at.map(Timestamp::unix_ms)),
            reports::action_taken_by_account_id.eq(report.action_taken_by),
            reports::updated_at.eq(report.updated_at.unix_ms()),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Which reports are listed. Absent values restrict nothing. With `assigned`, reporter and reported
/// account are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReportSelection {
    /// Only resolved reports; otherwise only open ones.
    pub is_resolved: bool,
    /// Only reports by this account.
    pub account: Option<AccountId>,
    /// Only reports about this account.
    pub target: Option<AccountId>,
    /// Only reports that this member of staff works on.
    pub assigned: Option<AccountId>,
    /// No reports about this account.
    pub not_about: Option<AccountId>,
}

/// Loads the rows of the reports in the state `$state`. A query for each combination stays cached.
macro_rules! rows {
    ($conn:expr, $state:expr, $selection:expr, $request:expr) => {{
        let ReportSelection { account, target, assigned, not_about, .. } = $selection;
        // No account has the id 0.
        let not_about = not_about.unwrap_or(AccountId::new(0));
        let query = reports::table
            .filter($state)
            .filter(reports::target_account_id.ne(not_about))
            .select(ReportRow::as_select());
        match (account, target) {
            _ if assigned.is_some() => {
                let query = query.filter(reports::assigned_account_id.eq(assigned));
                cut_rows!($conn, query, reports::id, $request)
            }
            (None, None) => cut_rows!($conn, query, reports::id, $request),
            (Some(account), None) => {
                let query = query.filter(reports::account_id.eq(account));
                cut_rows!($conn, query, reports::id, $request)
            }
            (None, Some(target)) => {
                let query = query.filter(reports::target_account_id.eq(target));
                cut_rows!($conn, query, reports::id, $request)
            }
            (Some(account), Some(target)) => {
                let query = query
                    .filter(reports::account_id.eq(account))
                    .filter(reports::target_account_id.eq(target));
                cut_rows!($conn, query, reports::id, $request)
            }
        }
    }};
}

/// Loads a page of reports, newest first. An index serves each selection.
pub fn list(
    conn: &mut Conn,
    selection: ReportSelection,
    request: PageRequest,
) -> Result<Page<Report>> {
    let rows: Vec<ReportRow> = if selection.is_resolved {
        rows!(conn, reports::action_taken_at.is_not_null(), selection, request)?
    } else {
        rows!(conn, reports::action_taken_at.is_null(), selection, request)?
    };
    let found = rows.into_iter().map(Report::try_from).collect::<Result<Vec<_>>>()?;
    Ok(page(found, request, |report| report.id.get()))
}

/// Counts the open reports that are not about `not_about`, up to `most`.
pub fn count_open(conn: &mut Conn, not_about: Option<AccountId>, most: i64) -> Result<usize> {
    // No account has the id 0.
    let not_about = not_about.unwrap_or(AccountId::new(0));
    let some: Vec<ReportId> = reports::table
        .filter(reports::action_taken_at.is_null())
        .filter(reports::target_account_id.ne(not_about))
        .order(reports::id)
        .limit(most)
        .select(reports::id)
        .load(conn)?;
    Ok(some.len())
}

/// Locks up to `limit` open reports about an account with ids up to `last`, the oldest first.
/// Returns their ids.
pub fn lock_open_about(
    tx: &mut Tx<'_>,
    target: AccountId,
    last: ReportId,
    limit: i64,
) -> Result<Vec<ReportId>> {
    let query = reports::table
        .filter(reports::target_account_id.eq(target))
        .filter(reports::action_taken_at.is_null())
        .filter(reports::id.le(last))
        .order(reports::id)
        .limit(limit)
        .select(reports::id);
    Ok(match tx.on_engine() {
        OnEngine::Postgres(pg) => query.for_update().load(pg)?,
        // SQLite has one writer at a time, and this transaction is it.
        OnEngine::Sqlite(sqlite) => query.load(sqlite)?,
    })
}

/// Resolves these reports, which the transaction has locked. `by` is `None` for the operator.
pub fn resolve(tx: &mut Tx<'_>, ids: &[ReportId], by: Option<AccountId>) -> Result<()> {
    let now = tx.now().unix_ms();
    diesel::update(reports::table)
        .filter(reports::id.equals_any(ids))
        .set((
            reports::action_taken_at.eq(now),
            reports::action_taken_by_account_id.eq(by),
            reports::updated_at.eq(now),
        ))
        .execute(&mut **tx)?;
    Ok(())
}
