//! Strikes, the statuses that they are about, and the appeals against them.

use std::sync::Arc;

use diesel::{dsl::exists, prelude::*};
use siskin_entities::{
    Account, Appeal, AppealState, Page, PageRequest, Strike, StrikeAction, StrikeStatus, Timestamp,
};
use siskin_ids::{AccountId, AppealId, ReportId, StatusId, StrikeId};

use crate::{
    Conn, Error, IdMap, Result, Tx, accounts,
    conn::each,
    equals_any::IdExpression as _,
    page::{cut_rows, page},
    schema::{appeals, strike_statuses, strikes},
    unique::sorted_unique,
};

/// A strike that is not stored yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewStrike<'a> {
    pub target: AccountId,
    /// `None` for the operator.
    pub moderator: Option<AccountId>,
    pub action: StrikeAction,
    pub text: &'a str,
    pub report: Option<ReportId>,
    pub statuses: &'a [StrikeStatus],
}

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = strikes)]
struct StrikeRow {
    id: StrikeId,
    target_account_id: AccountId,
    account_id: Option<AccountId>,
    action: String,
    text: String,
    report_id: Option<ReportId>,
    overruled_at: Option<i64>,
    created_at: i64,
}

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = appeals)]
struct AppealRow {
    id: AppealId,
    strike_id: StrikeId,
    account_id: AccountId,
    text: String,
    state: String,
    decided_by_account_id: Option<AccountId>,
    decided_at: Option<i64>,
    created_at: i64,
}

impl TryFrom<AppealRow> for Appeal {
    type Error = Error;

    fn try_from(row: AppealRow) -> Result<Self> {
        Ok(Self {
            id: row.id,
            strike: row.strike_id,
            account: row.account_id,
            text: row.text,
            state: row.state.parse().map_err(|_| Error::Damaged("appeals.state"))?,
            decided_by: row.decided_by_account_id,
            decided_at: row.decided_at.map(Timestamp::from_unix_ms),
            created_at: Timestamp::from_unix_ms(row.created_at),
        })
    }
}

/// Inserts a strike.
pub fn insert(tx: &mut Tx<'_>, new: &NewStrike<'_>) -> Result<StrikeId> {
    let id = StrikeId::new(tx.next_id());
    diesel::insert_into(strikes::table)
        .values((
            strikes::id.eq(id),
            strikes::target_account_id.eq(new.target),
            strikes::account_id.eq(new.moderator),
            strikes::action.eq(new.action.as_str()),
            strikes::text.eq(new.text),
            strikes::report_id.eq(new.report),
            strikes::created_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    if !new.statuses.is_empty() {
        let row = |status: &StrikeStatus| {
            (
                strike_statuses::strike_id.eq(id),
                strike_statuses::status_id.eq(status.id),
                strike_statuses::marked.eq(status.marked),
                strike_statuses::excerpt.eq(status.excerpt.clone()),
            )
        };
        let rows: Vec<_> = new.statuses.iter().map(row).collect();
        each!(&mut **tx, conn => diesel::insert_into(strike_statuses::table)
            .values(rows)
            .execute(conn))?;
    }
    Ok(id)
}

/// Loads the strikes with these ids with their appeals. Leaves out unknown ids. Runs a fixed number
/// of statements.
pub fn load(conn: &mut Conn, ids: &[StrikeId]) -> Result<IdMap<StrikeId, Arc<Strike>>> {
    let rows: Vec<StrikeRow> = strikes::table
        .filter(strikes::id.equals_any(ids))
        .select(StrikeRow::as_select())
        .load(conn)?;
    let loaded = with_parts(conn, rows)?;
    Ok(loaded.into_iter().map(|strike| (strike.id, Arc::new(strike))).collect())
}

/// Loads the strike with this id.
pub fn find(conn: &mut Conn, id: StrikeId) -> Result<Option<Arc<Strike>>> {
    Ok(load(conn, &[id])?.remove(&id))
}

/// Loads a page of the strikes against an account, newest first.
pub fn of_account(
    conn: &mut Conn,
    account: AccountId,
    request: PageRequest,
) -> Result<Page<Strike>> {
    let query = strikes::table
        .filter(strikes::target_account_id.eq(account))
        .select(StrikeRow::as_select());
    let rows: Vec<StrikeRow> = cut_rows!(conn, query, strikes::id, request)?;
    let strikes = with_parts(conn, rows)?;
    Ok(page(strikes, request, |strike| strike.id.get()))
}

/// Returns `true` if there is a later strike with the same action against the same account, which
/// the moderators did not take back.
pub fn has_later(conn: &mut Conn, strike: &Strike) -> Result<bool> {
    let later = strikes::table
        .filter(strikes::target_account_id.eq(strike.target.id))
        .filter(strikes::id.gt(strike.id))
        .filter(strikes::action.eq(strike.action.as_str()))
        .filter(strikes::overruled_at.is_null());
    Ok(diesel::select(exists(later)).get_result(conn)?)
}

/// Stores that the moderators took a strike back.
pub fn overrule(tx: &mut Tx<'_>, id: StrikeId) -> Result<()> {
    diesel::update(strikes::table.find(id))
        .set(strikes::overruled_at.eq(tx.now().unix_ms()))
        .execute(&mut **tx)?;
    Ok(())
}

/// Inserts a pending appeal of an account. Returns `None` if there is one against this strike
/// already.
pub fn insert_appeal(
    tx: &mut Tx<'_>,
    strike: StrikeId,
    account: AccountId,
    text: &str,
) -> Result<Option<AppealId>> {
    let id = AppealId::new(tx.next_id());
    let row = (
        appeals::id.eq(id),
        appeals::strike_id.eq(strike),
        appeals::account_id.eq(account),
        appeals::text.eq(text),
        appeals::state.eq(AppealState::Pending.as_str()),
        appeals::created_at.eq(tx.now().unix_ms()),
    );
    let inserted = each!(&mut **tx, conn => diesel::insert_into(appeals::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok((inserted == 1).then_some(id))
}

/// Loads the appeal with this id.
pub fn find_appeal(conn: &mut Conn, id: AppealId) -> Result<Option<Appeal>> {
    let row: Option<AppealRow> =
        appeals::table.find(id).select(AppealRow::as_select()).first(conn).optional()?;
    row.map(Appeal::try_from).transpose()
}

/// Loads a page of the appeals in this state, or of all appeals, newest first.
pub fn appeals(
    conn: &mut Conn,
    state: Option<AppealState>,
    request: PageRequest,
) -> Result<Page<Appeal>> {
    let all = appeals::table.select(AppealRow::as_select());
    let rows: Vec<AppealRow> = match state {
        None => cut_rows!(conn, all, appeals::id, request)?,
        Some(state) => {
            let query = all.filter(appeals::state.eq(state.as_str()));
            cut_rows!(conn, query, appeals::id, request)?
        }
    };
    let appeals = rows.into_iter().map(Appeal::try_from).collect::<Result<Vec<_>>>()?;
    Ok(page(appeals, request, |appeal| appeal.id.get()))
}

/// Loads a page of the decided appeals of an account, newest first.
pub fn decided_appeals_of(
    conn: &mut Conn,
    account: AccountId,
    request: PageRequest,
) -> Result<Page<Appeal>> {
    let query = appeals::table
        .filter(appeals::account_id.eq(account))
        .filter(appeals::state.ne(AppealState::Pending.as_str()))
        .select(AppealRow::as_select());
    let rows: Vec<AppealRow> = cut_rows!(conn, query, appeals::id, request)?;
    let appeals = rows.into_iter().map(Appeal::try_from).collect::<Result<Vec<_>>>()?;
    Ok(page(appeals, request, |appeal| appeal.id.get()))
}

/// Counts the appeals that wait for a decision, up to `most`.
pub fn count_pending_appeals(conn: &mut Conn, most: i64) -> Result<usize> {
    let some: Vec<AppealId> = appeals::table
        .filter(appeals::state.eq(AppealState::Pending.as_str()))
        .order(appeals::id)
        .limit(most)
        .select(appeals::id)
        .load(conn)?;
    Ok(some.len())
}

/// Stores the decision about an appeal. `by` is `None` for the operator.
pub fn decide_appeal(
    tx: &mut Tx<'_>,
    id: AppealId,
    state: AppealState,
    by: Option<AccountId>,
) -> Result<()> {
    diesel::update(appeals::table.find(id))
        .set((
            appeals::state.eq(state.as_str()),
            appeals::decided_by_account_id.eq(by),
            appeals::decided_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Builds the strikes of these rows, in their order.
fn with_parts(conn: &mut Conn, rows: Vec<StrikeRow>) -> Result<Vec<Strike>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let mut parts = Parts::load(conn, &rows)?;
    let strikes = rows.into_iter().filter_map(|row| parts.strike(row).transpose());
    strikes.collect()
}

/// The parts of a batch of strikes. Each kind is loaded with one statement.
struct Parts {
    targets: IdMap<AccountId, Arc<Account>>,
    statuses: IdMap<StrikeId, Vec<StrikeStatus>>,
    appeals: IdMap<StrikeId, Appeal>,
}

impl Parts {
    fn load(conn: &mut Conn, rows: &[StrikeRow]) -> Result<Self> {
        let ids: Vec<StrikeId> = rows.iter().map(|row| row.id).collect();
        let targets = sorted_unique(rows.iter().map(|row| row.target_account_id));
        let of_strikes: Vec<(StrikeId, StatusId, bool, String)> = strike_statuses::table
            .filter(strike_statuses::strike_id.equals_any(&ids))
            .select((
                strike_statuses::strike_id,
                strike_statuses::status_id,
                strike_statuses::marked,
                strike_statuses::excerpt,
            ))
            .load(conn)?;
        let mut statuses: IdMap<StrikeId, Vec<StrikeStatus>> = IdMap::default();
        for (strike, id, marked, excerpt) in of_strikes {
            statuses.entry(strike).or_default().push(StrikeStatus { id, marked, excerpt });
        }
        statuses.values_mut().for_each(|some| some.sort_unstable_by_key(|status| status.id));
        let against: Vec<AppealRow> = appeals::table
            .filter(appeals::strike_id.equals_any(&ids))
            .select(AppealRow::as_select())
            .load(conn)?;
        let appeal = |row: AppealRow| -> Result<_> { Ok((row.strike_id, Appeal::try_from(row)?)) };
        let appeals = against.into_iter().map(appeal).collect::<Result<_>>()?;
        Ok(Self { targets: accounts::load(conn, &targets)?, statuses, appeals })
    }

    /// Returns `None` if the account is gone: in a write, others may delete it in the meantime.
    fn strike(&mut self, row: StrikeRow) -> Result<Option<Strike>> {
        let Some(target) = self.targets.get(&row.target_account_id) else { return Ok(None) };
        Ok(Some(Strike {
            id: row.id,
            target: Arc::clone(target),
            moderator: row.account_id,
            action: row.action.parse().map_err(|_| Error::Damaged("strikes.action"))?,
            text: row.text,
            report: row.report_id,
            statuses: self.statuses.remove(&row.id).unwrap_or_default(),
            appeal: self.appeals.remove(&row.id),
            overruled_at: row.overruled_at.map(Timestamp::from_unix_ms),
            created_at: Timestamp::from_unix_ms(row.created_at),
        }))
    }
}
