//! Loads relationships of a viewer with many accounts at once.

use std::collections::HashMap;

use diesel::{prelude::*, sql_types::Bool};
use siskin_entities::{Relationship, Timestamp};
use siskin_ids::AccountId;

use crate::{
    Conn, Result,
    equals_any::IdExpression as _,
    schema::{
        account_domain_blocks, account_notes, accounts, blocks, endorsements, follow_requests,
        follows, mutes,
    },
};

use super::languages_of_column;

/// Whether to include suspended accounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suspended {
    LeftOut,
    Included,
}

/// Loads the relationship of `viewer` with each of `ids` at `now`, in the order of the ids. Leaves
/// out duplicates and accounts that do not exist, are unconfirmed or are pending approval.
pub fn load(
    conn: &mut Conn,
    viewer: AccountId,
    ids: &[AccountId],
    now: Timestamp,
    suspended: Suspended,
) -> Result<Vec<Relationship>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = known(conn, ids, suspended)?;
    add_follows(conn, viewer, ids, &mut found)?;
    add_requests(conn, viewer, ids, &mut found)?;
    add_blocks(conn, viewer, ids, &mut found)?;
    add_mutes(conn, viewer, ids, now, &mut found)?;
    add_domain_blocks(conn, viewer, ids, &mut found)?;
    add_endorsements(conn, viewer, ids, &mut found)?;
    add_notes(conn, viewer, ids, &mut found)?;
    Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
}

type Found = HashMap<AccountId, Relationship>;

fn known(conn: &mut Conn, ids: &[AccountId], suspended: Suspended) -> Result<Found> {
    let included = suspended == Suspended::Included;
    let known: Vec<AccountId> = accounts::table
        .filter(accounts::id.equals_any(ids))
        .filter(accounts::reachable.eq(true))
        .filter(included.into_sql::<Bool>().or(accounts::suspended_at.is_null()))
        .select(accounts::id)
        .load(conn)?;
    Ok(known.into_iter().map(|id| (id, Relationship::none(id))).collect())
}

/// The common columns of follows and requests, with the other account.
type FollowRow = (AccountId, bool, bool, Option<String>);

fn add_follows(
    conn: &mut Conn,
    viewer: AccountId,
    ids: &[AccountId],
    found: &mut Found,
) -> Result<()> {
    let following: Vec<FollowRow> = follows::table
        .filter(follows::account_id.eq(viewer))
        .filter(follows::target_account_id.equals_any(ids))
        .select((
            follows::target_account_id,
            follows::show_reblogs,
            follows::notify,
            follows::languages,
        ))
        .load(conn)?;
    for row in following {
        set_options(found, row, |relationship| relationship.following = true);
    }
    let followed_by = follows::table
        .filter(follows::target_account_id.eq(viewer))
        .filter(follows::account_id.equals_any(ids))
        .select(follows::account_id)
        .load(conn)?;
    mark(found, followed_by, |relationship| relationship.followed_by = true);
    Ok(())
}

fn add_requests(
    conn: &mut Conn,
    viewer: AccountId,
    ids: &[AccountId],
    found: &mut Found,
) -> Result<()> {
    let requested: Vec<FollowRow> = follow_requests::table
        .filter(follow_requests::account_id.eq(viewer))
        .filter(follow_requests::target_account_id.equals_any(ids))
        .select((
            follow_requests::target_account_id,
            follow_requests::show_reblogs,
            follow_requests::notify,
            follow_requests::languages,
        ))
        .load(conn)?;
    for row in requested {
        set_options(found, row, |relationship| relationship.requested = true);
    }
    let requested_by = follow_requests::table
        .filter(follow_requests::target_account_id.eq(viewer))
        .filter(follow_requests::account_id.equals_any(ids))
        .select(follow_requests::account_id)
        .load(conn)?;
    mark(found, requested_by, |relationship| relationship.requested_by = true);
    Ok(())
}

/// Sets the options of a follow. They apply to a pending request as well.
fn set_options(found: &mut Found, row: FollowRow, mark: impl Fn(&mut Relationship)) {
    let (id, reblogs, notify, languages) = row;
    if let Some(relationship) = found.get_mut(&id) {
        mark(relationship);
        relationship.showing_reblogs = reblogs;
        relationship.notifying = notify;
        relationship.languages = languages_of_column(languages);
    }
}

fn add_blocks(
    conn: &mut Conn,
    viewer: AccountId,
    ids: &[AccountId],
    found: &mut Found,
) -> Result<()> {
    let blocking = blocks::table
        .filter(blocks::account_id.eq(viewer))
        .filter(blocks::target_account_id.equals_any(ids))
        .select(blocks::target_account_id)
        .load(conn)?;
    mark(found, blocking, |relationship| relationship.blocking = true);
    let blocked_by = blocks::table
        .filter(blocks::target_account_id.eq(viewer))
        .filter(blocks::account_id.equals_any(ids))
        .select(blocks::account_id)
        .load(conn)?;
    mark(found, blocked_by, |relationship| relationship.blocked_by = true);
    Ok(())
}

fn add_mutes(
    conn: &mut Conn,
    viewer: AccountId,
    ids: &[AccountId],
    now: Timestamp,
    found: &mut Found,
) -> Result<()> {
    let muting: Vec<(AccountId, bool, Option<i64>)> = mutes::table
        .filter(mutes::account_id.eq(viewer))
        .filter(mutes::target_account_id.equals_any(ids))
        .filter(mutes::expires_at.is_null().or(mutes::expires_at.gt(now.unix_ms())))
        .select((mutes::target_account_id, mutes::hide_notifications, mutes::expires_at))
        .load(conn)?;
    for (id, notifications, expires_at) in muting {
        if let Some(relationship) = found.get_mut(&id) {
            relationship.muting = true;
            relationship.muting_notifications = notifications;
            relationship.muting_expires_at = expires_at.map(Timestamp::from_unix_ms);
        }
    }
    Ok(())
}

fn add_domain_blocks(
    conn: &mut Conn,
    viewer: AccountId,
    ids: &[AccountId],
    found: &mut Found,
) -> Result<()> {
    let of_server = accounts::domain.eq(account_domain_blocks::domain.nullable());
    let blocking = account_domain_blocks::table
        .inner_join(accounts::table.on(of_server))
        .filter(account_domain_blocks::account_id.eq(viewer))
        .filter(accounts::id.equals_any(ids))
        .select(accounts::id)
        .load(conn)?;
    mark(found, blocking, |relationship| relationship.domain_blocking = true);
    Ok(())
}

fn add_endorsements(
    conn: &mut Conn,
    viewer: AccountId,
    ids: &[AccountId],
    found: &mut Found,
) -> Result<()> {
    let endorsed = endorsements::table
        .filter(endorsements::account_id.eq(viewer))
        .filter(endorsements::target_account_id.equals_any(ids))
        .select(endorsements::target_account_id)
        .load(conn)?;
    mark(found, endorsed, |relationship| relationship.endorsed = true);
    Ok(())
}

fn add_notes(
    conn: &mut Conn,
    viewer: AccountId,
    ids: &[AccountId],
    found: &mut Found,
) -> Result<()> {
    let notes: Vec<(AccountId, String)> = account_notes::table
        .filter(account_notes::account_id.eq(viewer))
        .filter(account_notes::target_account_id.equals_any(ids))
        .select((account_notes::target_account_id, account_notes::comment))
        .load(conn)?;
    for (id, note) in notes {
        if let Some(relationship) = found.get_mut(&id) {
            relationship.note = note;
        }
    }
    Ok(())
}

fn mark(found: &mut Found, ids: Vec<AccountId>, mark: impl Fn(&mut Relationship)) {
    for id in ids {
        if let Some(relationship) = found.get_mut(&id) {
            mark(relationship);
        }
    }
}
