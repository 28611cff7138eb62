//! Deletes an account in small steps and corrects the counters of other accounts and statuses.

use diesel::prelude::*;
use siskin_ids::{AccountId, FollowId, StatusId};

use crate::{
    Result, Tx,
    access::{self, Ended},
    chunks::{self, OwnedRows, owned},
    equals_any::IdExpression as _,
    polls,
    schema::{account_stats, accounts, favourites, follows, statuses},
    statuses as status_rows, tables,
};

use super::retired;

/// Maximum number of rows with counters per transaction, so that other writers get a turn in
/// between.
const AT_ONCE: i64 = 20;

/// Maximum number of rows without counters per transaction, and of rows that go with statuses.
const PLAIN_AT_ONCE: usize = 100;

/// Maximum number of feeds per transaction. Each has hundreds of entries.
const FEEDS_AT_ONCE: usize = 4;

const FEEDS: OwnedRows = owned("feeds", "feed_id", "account_id = $1");

/// Deletes some of the rows of the account and about it. Once none is left, deletes the account
/// itself and retires the name of a local account. Returns `true` if the account is gone.
pub fn remove_some(tx: &mut Tx<'_>, account: AccountId) -> Result<bool> {
    let some = remove_statuses(tx, account)?
        || remove_favourites(tx, account)?
        || polls::remove_votes(tx, account, AT_ONCE)?
        || remove_followed(tx, account)?
        || remove_followers(tx, account)?
        || FEEDS.delete_some(tx, account.get(), FEEDS_AT_ONCE)? > 0
        || remove_moves(tx, account)?
        || chunks::delete_some(tx, &tables::of_account(), account.get(), PLAIN_AT_ONCE)?
            == PLAIN_AT_ONCE;
    if !some {
        retired::retire(tx, account)?;
        diesel::delete(accounts::table.find(account)).execute(&mut **tx)?;
        access::end(tx, Ended::Account(account))?;
    }
    Ok(!some)
}

/// Deletes some statuses of the account, or some rows that go with one of them.
fn remove_statuses(tx: &mut Tx<'_>, account: AccountId) -> Result<bool> {
    let found: Vec<StatusId> = statuses::table
        .filter(statuses::account_id.eq(account))
        .order(statuses::id.desc())
        .limit(AT_ONCE)
        .select(statuses::id)
        .load(&mut **tx)?;
    let mut deleted = 0;
    for status in &found {
        match status_rows::continue_removal(tx, *status)? {
            Some(rows) => deleted += rows,
            None => break,
        }
        if deleted >= PLAIN_AT_ONCE {
            break;
        }
    }
    Ok(!found.is_empty())
}

/// Lets some accounts that moved to this one point to no account.
fn remove_moves(tx: &mut Tx<'_>, account: AccountId) -> Result<bool> {
    let found: Vec<AccountId> = accounts::table
        .filter(accounts::moved_to_account_id.eq(account))
        .limit(AT_ONCE)
        .select(accounts::id)
        .load(&mut **tx)?;
    diesel::update(accounts::table.filter(accounts::id.equals_any(&found)))
        .set(accounts::moved_to_account_id.eq(None::<AccountId>))
        .execute(&mut **tx)?;
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
