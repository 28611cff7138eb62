//! Loads and deletes the notifications of an account.

use std::collections::{HashMap, HashSet};

use diesel::prelude::*;
use siskin_entities::{Notification, NotificationKind, Page, PageRequest, Status, Timestamp};
use siskin_ids::{AccountId, NotificationId, StatusId};

use crate::{
    Conn, Error, Result, Tx, accounts,
    among::IdExpression as _,
    among::TextExpression as _,
    page::{cut_rows, page},
    schema::{notifications, statuses},
    statuses::{self as views, AtStake, is_shown_to, may_see, wants_to_hear},
};

/// Filter for a list of notifications.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Include only these kinds.
    pub kinds: Vec<NotificationKind>,
    /// Include only notifications caused by this account.
    pub from: Option<AccountId>,
}

#[derive(Debug, Clone, Queryable, Selectable)]
#[diesel(table_name = notifications)]
struct Row {
    id: NotificationId,
    from_account_id: AccountId,
    kind: String,
    status_id: Option<StatusId>,
    created_at: i64,
}

/// Selects the notifications that are visible to `$reader`, an id or a column. Their sender must be
/// visible to the recipient and neither blocked nor muted with notifications. A status in them must
/// be visible.
macro_rules! shown {
    ($reader:expr, $now:expr, at: $stakes:ident) => {{
        let reader = $reader;
        let now: Timestamp = $now;
        let readable = may_see!(
            reader,
            at: $stakes,
            id: statuses::id,
            account: statuses::account_id,
            visibility: statuses::visibility
        );
        notifications::table
            .left_join(
                statuses::table.on(notifications::status_id.eq(statuses::id.nullable())),
            )
            .filter(notifications::account_id.eq(reader))
            .filter(is_shown_to!(reader, at: $stakes, account: notifications::from_account_id))
            .filter(wants_to_hear!(
                reader,
                now,
                at: $stakes,
                account: notifications::from_account_id
            ))
            .filter(notifications::status_id.is_null().or(readable))
    }};
}

/// Loads a page of the notifications that are visible to `reader`. The number of statements is
/// constant.
pub fn list(
    conn: &mut Conn,
    reader: AccountId,
    wanted: &Wanted,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<Notification>> {
    let kinds = wanted.kinds.iter().map(|kind| kind.as_str());
    let stakes = AtStake::of(conn, reader, now)?;
    let query = shown!(reader, now, at: stakes)
        .filter(notifications::kind.among_texts(kinds))
        .select(Row::as_select());
    let rows: Vec<Row> = match wanted.from {
        None => cut_rows!(conn, query, notifications::id, request)?,
        Some(from) => {
            let query = query.filter(notifications::from_account_id.eq(from));
            cut_rows!(conn, query, notifications::id, request)?
        }
    };
    let rows = page(rows, request, |row| row.id.get());
    let items = load(conn, &rows.items, reader)?;
    Ok(rows.with_items(items))
}

/// Loads one notification if it is visible to `reader`.
pub fn find(
    conn: &mut Conn,
    reader: AccountId,
    id: NotificationId,
    now: Timestamp,
) -> Result<Option<Notification>> {
    let row: Option<Row> = shown!(reader, now, at: all)
        .filter(notifications::id.eq(id))
        .select(Row::as_select())
        .first(conn)
        .optional()?;
    let Some(row) = row else { return Ok(None) };
    Ok(load(conn, &[row], reader)?.pop())
}

/// A notification that is visible to its recipient, without the account and status it refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub id: NotificationId,
    pub recipient: AccountId,
    pub from: AccountId,
    pub kind: NotificationKind,
    pub status: Option<StatusId>,
    pub created_at: Timestamp,
}

/// Loads those of these notifications that are visible to their recipients. Runs one statement,
/// even for several recipients.
pub fn told(conn: &mut Conn, ids: &[NotificationId], now: Timestamp) -> Result<Vec<Told>> {
    let rows: Vec<(AccountId, Row)> = shown!(notifications::account_id, now, at: all)
        .filter(notifications::id.among(ids))
        .order(notifications::id)
        .select((notifications::account_id, Row::as_select()))
        .load(conn)?;
    let told = |(recipient, row): (AccountId, Row)| {
        Ok(Told {
            id: row.id,
            recipient,
            from: row.from_account_id,
            kind: kind(&row)?,
            status: row.status_id,
            created_at: Timestamp::from_unix_ms(row.created_at),
        })
    };
    rows.into_iter().map(told).collect()
}

fn kind(row: &Row) -> Result<NotificationKind> {
    NotificationKind::from_name(&row.kind).ok_or(Error::Damaged("notifications.kind"))
}

/// Deletes one notification of `reader`.
pub fn delete(tx: &mut Tx<'_>, reader: AccountId, id: NotificationId) -> Result<()> {
    diesel::delete(notifications::table)
        .filter(notifications::account_id.eq(reader))
        .filter(notifications::id.eq(id))
        .execute(&mut **tx)?;
    Ok(())
}

/// Deletes up to `most` notifications of `reader`, visible or not, the oldest first. Returns `true`
/// if there are more.
pub fn delete_some(tx: &mut Tx<'_>, reader: AccountId, most: i64) -> Result<bool> {
    let all = notifications::table.filter(notifications::account_id.eq(reader));
    let next: Option<NotificationId> = all
        .order(notifications::id)
        .offset(most)
        .select(notifications::id)
        .first(&mut **tx)
        .optional()?;
    match next {
        Some(next) => diesel::delete(all.filter(notifications::id.lt(next))).execute(&mut **tx)?,
        None => diesel::delete(all).execute(&mut **tx)?,
    };
    Ok(next.is_some())
}

/// Loads the views of these rows with their accounts and statuses. Leaves out rows with an account
/// or status that was deleted in the meantime.
fn load(conn: &mut Conn, rows: &[Row], reader: AccountId) -> Result<Vec<Notification>> {
    let from: Vec<AccountId> = rows.iter().map(|row| row.from_account_id).collect();
    let about: HashSet<StatusId> = rows.iter().filter_map(|row| row.status_id).collect();
    let about: Vec<StatusId> = about.into_iter().collect();
    let accounts = accounts::load(conn, &from)?;
    let statuses: HashMap<StatusId, Status> = views::load(conn, &about, Some(reader))?
        .into_iter()
        .map(|status| (status.body.id, status))
        .collect();
    let mut shown = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(account) = accounts.get(&row.from_account_id).cloned() else { continue };
        let status = match row.status_id {
            None => None,
            Some(id) => match statuses.get(&id) {
                None => continue,
                Some(status) => Some(status.clone()),
            },
        };
        let created_at = Timestamp::from_unix_ms(row.created_at);
        shown.push(Notification { id: row.id, kind: kind(row)?, account, status, created_at });
    }
    Ok(shown)
}
