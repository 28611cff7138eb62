//! Follows and follow requests, with the counters of follows.

use diesel::prelude::*;
use siskin_entities::relationship::{Follow, Following};
use siskin_ids::{AccountId, FollowId, FollowRequestId};

use crate::{
    Conn, Result, Tx, accounts,
    conn::each,
    schema::{account_stats, follow_requests, follows},
};

use super::{languages_of_column, languages_to_column};

type FollowRow = (bool, bool, Option<String>);

fn follow((reblogs, notify, languages): FollowRow) -> Follow {
    Follow { reblogs, notify, languages: languages_of_column(languages) }
}

pub(super) fn following(conn: &mut Conn, from: AccountId, to: AccountId) -> Result<Following> {
    let established: Option<FollowRow> = follows::table
        .filter(follows::account_id.eq(from))
        .filter(follows::target_account_id.eq(to))
        .select((follows::show_reblogs, follows::notify, follows::languages))
        .first(conn)
        .optional()?;
    if let Some(row) = established {
        return Ok(Following::Yes(follow(row)));
    }
    let requested: Option<FollowRow> = follow_requests::table
        .filter(follow_requests::account_id.eq(from))
        .filter(follow_requests::target_account_id.eq(to))
        .select((
            follow_requests::show_reblogs,
            follow_requests::notify,
            follow_requests::languages,
        ))
        .first(conn)
        .optional()?;
    Ok(requested.map_or(Following::No, |row| Following::Requested(follow(row))))
}

pub(super) fn save_following(
    tx: &mut Tx<'_>,
    from: AccountId,
    to: AccountId,
    before: &Following,
    after: &Following,
) -> Result<()> {
    match (before, after) {
        (before, after) if before == after => Ok(()),
        (Following::Yes(_), Following::Yes(follow)) => change_follow(tx, from, to, follow),
        (Following::Requested(_), Following::Requested(follow)) => {
            change_request(tx, from, to, follow)
        }
        _ => {
            match before {
                Following::No => {}
                Following::Requested(_) => remove_request(tx, from, to)?,
                Following::Yes(_) => remove_follow(tx, from, to)?,
            }
            match after {
                Following::No => Ok(()),
                Following::Requested(follow) => add_request(tx, from, to, follow),
                Following::Yes(follow) => add_follow(tx, from, to, follow),
            }
        }
    }
}

fn add_follow(tx: &mut Tx<'_>, from: AccountId, to: AccountId, follow: &Follow) -> Result<()> {
    let row = (
        follows::id.eq(FollowId::new(tx.next_id())),
        follows::account_id.eq(from),
        follows::target_account_id.eq(to),
        follows::show_reblogs.eq(follow.reblogs),
        follows::notify.eq(follow.notify),
        follows::languages.eq(languages_to_column(follow.languages.as_deref())),
        follows::created_at.eq(tx.now().unix_ms()),
    );
    let added = each!(&mut **tx, conn => diesel::insert_into(follows::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    if added == 1 { count(tx, from, to, 1) } else { Ok(()) }
}

fn change_follow(tx: &mut Tx<'_>, from: AccountId, to: AccountId, follow: &Follow) -> Result<()> {
    let row = follows::account_id.eq(from).and(follows::target_account_id.eq(to));
    diesel::update(follows::table.filter(row))
        .set((
            follows::show_reblogs.eq(follow.reblogs),
            follows::notify.eq(follow.notify),
            follows::languages.eq(languages_to_column(follow.languages.as_deref())),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

fn remove_follow(tx: &mut Tx<'_>, from: AccountId, to: AccountId) -> Result<()> {
    let row = follows::account_id.eq(from).and(follows::target_account_id.eq(to));
    let removed = diesel::delete(follows::table.filter(row)).execute(&mut **tx)?;
    if removed == 1 { count(tx, from, to, -1) } else { Ok(()) }
}

/// Adds `by` to the follow counters of both accounts.
fn count(tx: &mut Tx<'_>, from: AccountId, to: AccountId, by: i64) -> Result<()> {
    accounts::lock_counts(tx, &[from, to])?;
    diesel::update(account_stats::table.find(from))
        .set(account_stats::following_count.eq(account_stats::following_count + by))
        .execute(&mut **tx)?;
    diesel::update(account_stats::table.find(to))
        .set(account_stats::followers_count.eq(account_stats::followers_count + by))
        .execute(&mut **tx)?;
    Ok(())
}

fn add_request(tx: &mut Tx<'_>, from: AccountId, to: AccountId, follow: &Follow) -> Result<()> {
    let row = (
        follow_requests::id.eq(FollowRequestId::new(tx.next_id())),
        follow_requests::account_id.eq(from),
        follow_requests::target_account_id.eq(to),
        follow_requests::show_reblogs.eq(follow.reblogs),
        follow_requests::notify.eq(follow.notify),
        follow_requests::languages.eq(languages_to_column(follow.languages.as_deref())),
        follow_requests::created_at.eq(tx.now().unix_ms()),
    );
    each!(&mut **tx, conn => diesel::insert_into(follow_requests::table)
        .values(row)
        .on_conflict_do_nothing()
        .execute(conn))?;
    Ok(())
}

fn change_request(tx: &mut Tx<'_>, from: AccountId, to: AccountId, follow: &Follow) -> Result<()> {
    let row = follow_requests::account_id.eq(from).and(follow_requests::target_account_id.eq(to));
    diesel::update(follow_requests::table.filter(row))
        .set((
            follow_requests::show_reblogs.eq(follow.reblogs),
            follow_requests::notify.eq(follow.notify),
            follow_requests::languages.eq(languages_to_column(follow.languages.as_deref())),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

fn remove_request(tx: &mut Tx<'_>, from: AccountId, to: AccountId) -> Result<()> {
    let row = follow_requests::account_id.eq(from).and(follow_requests::target_account_id.eq(to));
    diesel::delete(follow_requests::table.filter(row)).execute(&mut **tx)?;
    Ok(())
}
