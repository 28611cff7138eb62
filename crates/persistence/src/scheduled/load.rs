//! Loads and locks scheduled statuses.

use diesel::prelude::*;
use siskin_entities::{Page, PageRequest, ScheduledStatus, Timestamp};
use siskin_ids::{AccountId, ApplicationId, ScheduledStatusId};

use crate::{
    Conn, Result, Tx,
    conn::OnEngine,
    media,
    page::{cut_rows, page as page_of},
    schema::scheduled_statuses,
    statuses::draft,
};

#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = scheduled_statuses)]
struct Row {
    id: ScheduledStatusId,
    account_id: AccountId,
    scheduled_at: i64,
    application_id: Option<ApplicationId>,
    draft: String,
}

impl Row {
    fn view(self) -> Result<ScheduledStatus> {
        Ok(ScheduledStatus {
            id: self.id,
            account: self.account_id,
            at: Timestamp::from_unix_ms(self.scheduled_at),
            draft: draft::from_json(&self.draft)?,
            application: self.application_id,
            attachments: Vec::new(),
        })
    }
}

/// Builds the views of rows with their attachments. Runs one statement, or none if there are no
/// rows.
fn views(conn: &mut Conn, rows: Vec<Row>) -> Result<Vec<ScheduledStatus>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<ScheduledStatusId> = rows.iter().map(|row| row.id).collect();
    let mut attachments = media::of_scheduled(conn, &ids)?;
    let mut view = |row: Row| {
        let attachments = attachments.remove(&row.id).unwrap_or_default();
        Ok(ScheduledStatus { attachments, ..row.view()? })
    };
    rows.into_iter().map(&mut view).collect()
}

/// Loads a scheduled status of any account.
pub fn find(conn: &mut Conn, id: ScheduledStatusId) -> Result<Option<ScheduledStatus>> {
    let row: Option<Row> =
        scheduled_statuses::table.find(id).select(Row::as_select()).first(conn).optional()?;
    Ok(views(conn, row.into_iter().collect())?.pop())
}

/// Loads a scheduled status and locks it against changes, deletion and publishing until the
/// transaction ends.
pub fn take(tx: &mut Tx<'_>, id: ScheduledStatusId) -> Result<Option<ScheduledStatus>> {
    // `SQLite` has one writer at a time, and this transaction is it.
    if let OnEngine::Postgres(pg) = tx.on_engine() {
        let row = scheduled_statuses::table.find(id).select(scheduled_statuses::id);
        row.for_update().first::<ScheduledStatusId>(pg).optional()?;
    }
    find(tx, id)
}

/// Loads a page of the scheduled statuses of an account, the latest written first.
pub fn page(
    conn: &mut Conn,
    account: AccountId,
    request: PageRequest,
) -> Result<Page<ScheduledStatus>> {
    let own = scheduled_statuses::table
        .filter(scheduled_statuses::account_id.eq(account))
        .select(Row::as_select());
    let rows: Vec<Row> = cut_rows!(conn, own, scheduled_statuses::id, request)?;
    let mut page = page_of(rows, request, |row| row.id.get());
    let items = views(conn, std::mem::take(&mut page.items))?;
    Ok(page.with_items(items))
}

/// Counts the scheduled statuses of an account.
pub fn count(conn: &mut Conn, account: AccountId) -> Result<i64> {
    let own = scheduled_statuses::table.filter(scheduled_statuses::account_id.eq(account));
    Ok(own.count().get_result(conn)?)
}

/// Counts the scheduled statuses of an account other than `other` that are due at `from` or later
/// and before `until`.
pub fn count_between(
    conn: &mut Conn,
    account: AccountId,
    other: Option<ScheduledStatusId>,
    from: Timestamp,
    until: Timestamp,
) -> Result<i64> {
    let other = other.map_or(0, ScheduledStatusId::get);
    Ok(scheduled_statuses::table
        .filter(scheduled_statuses::account_id.eq(account))
        .filter(scheduled_statuses::scheduled_at.ge(from.unix_ms()))
        .filter(scheduled_statuses::scheduled_at.lt(until.unix_ms()))
        .filter(scheduled_statuses::id.ne(other))
        .count()
        .get_result(conn)?)
}

/// Returns all scheduled statuses that are not due yet at `now`.
pub fn waiting(conn: &mut Conn, now: Timestamp) -> Result<Vec<ScheduledStatusId>> {
    Ok(scheduled_statuses::table
        .filter(scheduled_statuses::scheduled_at.gt(now.unix_ms()))
        .order(scheduled_statuses::id)
        .select(scheduled_statuses::id)
        .load(conn)?)
}
