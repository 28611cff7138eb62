//! Accounts whose owners move to another account. Followers stay where they are.

use std::sync::Arc;

use siskin_entities::Account;
use siskin_ids::AccountId;
use siskin_persistence::{Conn, Tx, accounts as rows};

use crate::{Error, Result};

/// The most other addresses of one owner.
const MOST_ALIASES: usize = 10;

/// Returns the addresses of the accounts that have the same owner.
///
/// # Errors
/// Storage errors only.
pub fn aliases(conn: &mut Conn, account: AccountId) -> Result<Vec<String>> {
    Ok(rows::aliases(conn, account)?.unwrap_or_default())
}

/// Says that the owner of `account` also has `other`, which may then move here.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for an account of another server, for oneself, and for
/// more aliases than anybody has.
pub fn add_alias(tx: &mut Tx<'_>, account: AccountId, other: AccountId) -> Result<()> {
    rows::lock(tx, &[account])?;
    local(tx, account)?;
    if account == other {
        return Err(Error::invalid("An account is no alias of itself"));
    }
    let uri = find(tx, other)?.uri.clone();
    let mut aliases = rows::aliases(tx, account)?.ok_or(Error::NotFound)?;
    if aliases.contains(&uri) {
        return Ok(());
    }
    if aliases.len() >= MOST_ALIASES {
        return Err(Error::invalid(format!("An account has at most {MOST_ALIASES} aliases")));
    }
    aliases.push(uri);
    Ok(rows::set_aliases(tx, account, &aliases)?)
}

/// Takes an alias back.
///
/// # Errors
/// As [`add_alias`].
pub fn remove_alias(tx: &mut Tx<'_>, account: AccountId, other: AccountId) -> Result<()> {
    rows::lock(tx, &[account])?;
    local(tx, account)?;
    let uri = find(tx, other)?.uri.clone();
    let mut aliases = rows::aliases(tx, account)?.ok_or(Error::NotFound)?;
    aliases.retain(|alias| *alias != uri);
    Ok(rows::set_aliases(tx, account, &aliases)?)
}

/// Says that the owner of `account` moved to `target`, which must name the account as its alias:
/// nobody sends their followers to a stranger.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for an account of another server, and for a target that
/// does not name the account, is suspended or moved itself.
pub fn move_to(tx: &mut Tx<'_>, account: AccountId, target: AccountId) -> Result<()> {
    rows::lock(tx, &[account, target])?;
    let account = local(tx, account)?;
    let target = find(tx, target)?;
    let aliases = rows::aliases(tx, target.id)?.ok_or(Error::NotFound)?;
    if target.id == account.id || !aliases.contains(&account.uri) {
        return Err(Error::invalid("The account moved to must name this one as its alias"));
    }
    if target.state.suspended || !target.state.reachable || target.moved.is_some() {
        return Err(Error::invalid("The account moved to is not in use"));
    }
    Ok(rows::set_moved(tx, account.id, Some(target.id))?)
}

/// Takes a move back.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for an account of another server.
pub fn stay(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    local(tx, account)?;
    Ok(rows::set_moved(tx, account, None)?)
}

fn find(conn: &mut Conn, account: AccountId) -> Result<Arc<Account>> {
    rows::find(conn, account)?.ok_or(Error::NotFound)
}

fn local(conn: &mut Conn, account: AccountId) -> Result<Arc<Account>> {
    let account = find(conn, account)?;
    if account.is_local() {
        Ok(account)
    } else {
        Err(Error::invalid("This is an account of another server"))
    }
}
