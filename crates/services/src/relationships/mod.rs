//! Relationships between accounts, and the actions that change them.
//!
//! A table in `entities::relationship` defines how each action changes the relationship of two
//! accounts. This module checks permissions and sends notifications.

mod domains;
mod follows;
mod lists;
mod marks;

use std::sync::Arc;

use siskin_entities::{
    NotificationKind, Relationship, Timestamp,
    account::Account,
    relationship::{Action, Following, Relations},
};
use siskin_ids::AccountId;
use siskin_persistence::{
    Conn, Tx, accounts as account_rows,
    notifications::{Cause, withdraw},
    relationships as rows,
};

use crate::{Error, Result, id_list, notifications};

pub use domains::*;
pub use follows::*;
pub use lists::*;
pub use marks::*;
pub use siskin_persistence::relationships::Suspended;

const NOT_ALLOWED: &str = "This action is not allowed";

/// Loads the relationships of `viewer` to the accounts with these ids, in the order of the ids.
/// Ignores unknown ids.
///
/// # Errors
/// [`Error::Invalid`] if there are too many ids.
pub fn show(
    conn: &mut Conn,
    viewer: AccountId,
    ids: &[String],
    suspended: Suspended,
    now: Timestamp,
) -> Result<Vec<Relationship>> {
    let ids: Vec<AccountId> = id_list::parse(ids, id_list::MAX_IDS)?;
    Ok(rows::load(conn, viewer, &ids, now, suspended)?)
}

/// Parses an account id. An invalid id counts as not found.
fn account_id(text: &str) -> Result<AccountId> {
    text.parse().map_err(|_| Error::NotFound)
}

/// Returns the account to act on, suspended or not.
fn known(conn: &mut Conn, id: AccountId) -> Result<Arc<Account>> {
    let account = account_rows::find(conn, id)?.filter(|account| account.state.reachable);
    account.ok_or(Error::NotFound)
}

/// Applies an action to the account with this id, even if it is hidden from the actor. Returns the
/// new relationship.
fn act_on(tx: &mut Tx<'_>, actor: AccountId, other: &str, action: &Action) -> Result<Relationship> {
    let other = account_id(other)?;
    known(tx, other)?;
    act(tx, actor, other, action)?;
    relationship(tx, actor, other)
}

fn act(tx: &mut Tx<'_>, actor: AccountId, other: AccountId, action: &Action) -> Result<()> {
    account_rows::lock(tx, &[actor, other])?;
    let before = rows::relations(tx, actor, other)?;
    save(tx, actor, other, &before, action)
}

fn save(
    tx: &mut Tx<'_>,
    actor: AccountId,
    other: AccountId,
    before: &Relations,
    action: &Action,
) -> Result<()> {
    let after = before.clone().after(action);
    rows::save(tx, actor, other, before, &after)?;
    notify(tx, actor, other, &before.following, &after.following)?;
    notify(tx, other, actor, &before.followed_by, &after.followed_by)
}

/// Notifies `to` of a new follow or follow request by `from`. Withdraws the notification of one
/// that ended.
fn notify(
    tx: &mut Tx<'_>,
    from: AccountId,
    to: AccountId,
    before: &Following,
    after: &Following,
) -> Result<()> {
    let (before, after) = (notification_kind(before), notification_kind(after));
    if before == after {
        return Ok(());
    }
    let cause = |kind| Cause::new(from, kind, None);
    if let Some(kind) = before {
        withdraw(tx, cause(kind), to)?;
    }
    if let Some(kind) = after {
        notifications::create(tx, cause(kind), &[to])?;
    }
    Ok(())
}

const fn notification_kind(following: &Following) -> Option<NotificationKind> {
    match following {
        Following::No => None,
        Following::Requested(_) => Some(NotificationKind::FollowRequest),
        Following::Yes(_) => Some(NotificationKind::Follow),
    }
}

fn relationship(tx: &mut Tx<'_>, viewer: AccountId, other: AccountId) -> Result<Relationship> {
    let now = tx.now();
    let found = rows::load(tx, viewer, &[other], now, Suspended::Included)?.pop();
    found.ok_or(Error::NotFound)
}
