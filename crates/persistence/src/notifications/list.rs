//! Loads and deletes the notifications of an account.

use std::collections::{HashMap, HashSet};

use diesel::prelude::*;
use siskin_entities::{Notification, NotificationKind, Page, PageRequest, Status, Timestamp};
use siskin_ids::{AccountId, NotificationId, StatusId};

use crate::{
    Conn, Error, Result, Tx, accounts,
    equals_any::IdExpression as _,
    equals_any::TextExpression as _,
    page::{cut_rows, page},
    schema::{notifications, statuses},
    statuses::{self as views, RelationFlags, accepts_notifications, is_visible_to, may_see},
};

/// Filter for a list of notifications.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotificationFilter {
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

/// Selects the notifications that are visible to `$viewer`, an id or a column. Their sender must be
/// visible to the recipient and neither blocked nor muted with notifications. A status in them must
/// be visible.
macro_rules! visible_rows {
    ($viewer:expr, $now:expr, at: $flags:ident) => {{
        let viewer = $viewer;
        let now: Timestamp = $now;
        let readable = may_see!(
            viewer,
            at: $flags,
            id: statuses::id,
            account: statuses::account_id,
            visibility: statuses::visibility
        );
        notifications::table
            .left_join(
                statuses::table.on(notifications::status_id.eq(statuses::id.nullable())),
            )
            .filter(notifications::account_id.eq(viewer))
            .filter(is_visible_to!(viewer, at: $flags, account: notifications::from_account_id))
            .filter(accepts_notifications!(
                viewer,
                now,
                at: $flags,
                account: notifications::from_account_id
            ))
            .filter(notifications::status_id.is_null().or(readable))
    }};
}

/// Loads a page of the notifications that are visible to `viewer`. The number of statements is
/// constant.
pub fn list(
    conn: &mut Conn,
    viewer: AccountId,
    filter: &NotificationFilter,
    now: Timestamp,
    request: PageRequest,
) -> Result<Page<Notification>> {
    let kinds = filter.kinds.iter().map(|kind| kind.as_str());
    let flags = RelationFlags::of(conn, viewer, now)?;
    let query = visible_rows!(viewer, now, at: flags)
        .filter(notifications::kind.equals_any_text(kinds))
        .select(Row::as_select());
    let rows: Vec<Row> = match filter.from {
        None => cut_rows!(conn, query, notifications::id, request)?,
        Some(from) => {
            let query = query.filter(notifications::from_account_id.eq(from));
            cut_rows!(conn, query, notifications::id, request)?
        }
    };
    let rows = page(rows, request, |row| row.id.get());
    let items = load(conn, &rows.items, viewer)?;
    Ok(rows.with_items(items))
}

/// Loads one notification if it is visible to `viewer`.
pub fn find(
    conn: &mut Conn,
    viewer: AccountId,
    id: NotificationId,
    now: Timestamp,
) -> Result<Option<Notification>> {
    let row: Option<Row> = visible_rows!(viewer, now, at: all)
        .filter(notifications::id.eq(id))
        .select(Row::as_select())
        .first(conn)
        .optional()?;
    let Some(row) = row else { return Ok(None) };
    Ok(load(conn, &[row], viewer)?.pop())
}

/// A notification that is visible to its recipient, without the account and status it refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisibleNotification {
    pub id: NotificationId,
    pub recipient: AccountId,
    pub from: AccountId,
    pub kind: NotificationKind,
    pub status: Option<StatusId>,
    pub created_at: Timestamp,
}

/// Loads those of these notifications that are visible to their recipients. Runs one statement,
/// even for several recipients.
pub fn visible(
    conn: &mut Conn,
    ids: &[NotificationId],
    now: Timestamp,
) -> Result<Vec<VisibleNotification>> {
    let rows: Vec<(AccountId, Row)> = visible_rows!(notifications::account_id, now, at: all)
        .filter(notifications::id.equals_any(ids))
        .order(notifications::id)
        .select((notifications::account_id, Row::as_select()))
        .load(conn)?;
    let visible = |(recipient, row): (AccountId, Row)| {
        Ok(VisibleNotification {
            id: row.id,
            recipient,
            from: row.from_account_id,
            kind: kind(&row)?,
            status: row.status_id,
            created_at: Timestamp::from_unix_ms(row.created_at),
        })
    };
    rows.into_iter().map(visible).collect()
}

fn kind(row: &Row) -> Result<NotificationKind> {
    NotificationKind::from_name(&row.kind).ok_or(Error::Damaged("notifications.kind"))
}

/// Deletes one notification of `viewer`.
pub fn delete(tx: &mut Tx<'_>, viewer: AccountId, id: NotificationId) -> Result<()> {
    diesel::delete(notifications::table)
        .filter(notifications::account_id.eq(viewer))
        .filter(notifications::id.eq(id))
        .execute(&mut **tx)?;
    Ok(())
}

/// Deletes up to `limit` notifications of `viewer`, visible or not, the oldest first. Returns
/// `true` if there are more.
pub fn delete_some(tx: &mut Tx<'_>, viewer: AccountId, limit: i64) -> Result<bool> {
    let all = notifications::table.filter(notifications::account_id.eq(viewer));
    let next: Option<NotificationId> = all
        .order(notifications::id)
        .offset(limit)
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
fn load(conn: &mut Conn, rows: &[Row], viewer: AccountId) -> Result<Vec<Notification>> {
    let from: Vec<AccountId> = rows.iter().map(|row| row.from_account_id).collect();
    let about: HashSet<StatusId> = rows.iter().filter_map(|row| row.status_id).collect();
    let about: Vec<StatusId> = about.into_iter().collect();
    let accounts = accounts::load(conn, &from)?;
    let statuses: HashMap<StatusId, Status> = views::load(conn, &about, Some(viewer))?
        .into_iter()
        .map(|status| (status.body.id, status))
        .collect();
    let mut visible_rows = Vec::with_capacity(rows.len());
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
        visible_rows.push(Notification {
            id: row.id,
            kind: kind(row)?,
            account,
            status,
            created_at,
        });
    }
    Ok(visible_rows)
}
