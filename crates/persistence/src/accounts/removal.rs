//! Deletes an account in small steps and corrects the counters of other accounts and statuses.

use diesel::prelude::*;
use siskin_ids::{AccountId, FollowId, StatusId};

use crate::{
    Result, Tx,
    access::{self, Ended},
    equals_any::IdExpression as _,
    polls,
    schema::{account_stats, accounts, favourites, follows, statuses},
    statuses as status_rows,
};

use super::retired;

/// Maximum number of rows per transaction, so that other writers get a turn in between.
const AT_ONCE: i64 = 20;

/// Deletes some of the account's statuses, favourites, votes, follows or followers. Once none is
/// left, deletes the account itself and retires the name of a local account. Returns `true` if the
/// account is gone.
pub fn remove_some(tx: &mut Tx<'_>, account: AccountId) -> Result<bool> {
    let some = remove_statuses(tx, account)?
        || remove_favourites(tx, account)?
        || polls::remove_votes(tx, account, AT_ONCE)?
        || remove_followed(tx, account)?
        || remove_followers(tx, account)?;
    if !some {
        retired::retire(tx, account)?;
        diesel::delete(accounts::table.find(account)).execute(&mut **tx)?;
        access::end(tx, Ended::Account(account))?;
    }
    Ok(!some)
}

fn remove_statuses(tx: &mut Tx<'_>, account: AccountId) -> Result<bool> {
    let found: Vec<StatusId> = statuses::table
        .filter(statuses::account_id.eq(account))
        .order(statuses::id.desc())
        .limit(AT_ONCE)
        .select(statuses::id)
        .load(&mut **tx)?;
    for status in &found {
        status_rows::remove(tx, *status)?;
    }
    Ok(!found.is_empty())
}

fn remove_favourites(tx: &mut Tx<'_>, account: AccountId) -> Result<bool> {
    let found: Vec<StatusId> = favourites::table
        .filter(favourites::account_id.eq(account))
        .order(favourites::id.desc())
        .limit(AT_ONCE)
        .select(favourites::status_id)
        .load(&mut **tx)?;
    for status in &found {
        status_rows::favourites::remove(tx, account, *status)?;
    }
    Ok(!found.is_empty())
}

/// Deletes some follows of the account. The counter of the account itself needs no update, because
/// its row is deleted later.
fn remove_followed(tx: &mut Tx<'_>, account: AccountId) -> Result<bool> {
    let found: Vec<(FollowId, AccountId)> = follows::table
        .filter(follows::account_id.eq(account))
        .order(follows::target_account_id)
        .limit(AT_ONCE)
        .select((follows::id, follows::target_account_id))
        .load(&mut **tx)?;
    let (ids, others): (Vec<FollowId>, Vec<AccountId>) = found.into_iter().unzip();
    diesel::delete(follows::table.filter(follows::id.equals_any(&ids))).execute(&mut **tx)?;
    diesel::update(account_stats::table.filter(account_stats::account_id.equals_any(others)))
        .set(account_stats::followers_count.eq(account_stats::followers_count - 1))
        .execute(&mut **tx)?;
    Ok(!ids.is_empty())
}

fn remove_followers(tx: &mut Tx<'_>, account: AccountId) -> Result<bool> {
    let found: Vec<(FollowId, AccountId)> = follows::table
        .filter(follows::target_account_id.eq(account))
        .order(follows::account_id)
        .limit(AT_ONCE)
        .select((follows::id, follows::account_id))
        .load(&mut **tx)?;
    let (ids, others): (Vec<FollowId>, Vec<AccountId>) = found.into_iter().unzip();
    diesel::delete(follows::table.filter(follows::id.equals_any(&ids))).execute(&mut **tx)?;
    diesel::update(account_stats::table.filter(account_stats::account_id.equals_any(others)))
        .set(account_stats::following_count.eq(account_stats::following_count - 1))
        .execute(&mut **tx)?;
    Ok(!ids.is_empty())
}
