//! Migration of accounts: aliases, and moves to another account. Followers are not moved.

use std::sync::Arc;

use siskin_entities::Account;
use siskin_ids::AccountId;
use siskin_persistence::{Conn, Tx, accounts as rows};

use crate::{Error, Result};

/// Maximum number of aliases of one account.
const MAX_ALIASES: usize = 10;

/// Returns the addresses of the accounts that have the same owner.
///
/// # Errors
/// Storage errors only.
pub fn aliases(conn: &mut Conn, account: AccountId) -> Result<Vec<String>> {
    Ok(rows::aliases(conn, account)?.unwrap_or_default())
}

/// Adds `other` as an alias of `account`: both have the same owner, and `other` may then move here.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for a remote `account`, for the account itself, and if
/// the number of aliases exceeds the maximum.
pub fn add_alias(tx: &mut Tx<'_>, account: AccountId, other: AccountId) -> Result<()> {
    rows::lock(tx, &[account])?;
    local(tx, account)?;
    if account == other {
        return Err(Error::invalid("An account cannot be an alias of itself"));
    }
    let uri = find(tx, other)?.uri.clone();
    let mut aliases = rows::aliases(tx, account)?.ok_or(Error::NotFound)?;
    if aliases.contains(&uri) {
        return Ok(());
    }
    if aliases.len() >= MAX_ALIASES {
        return Err(Error::invalid(format!("An account can have at most {MAX_ALIASES} aliases")));
    }
    aliases.push(uri);
    Ok(rows::set_aliases(tx, account, &aliases)?)
}

/// Removes an alias.
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

/// Marks `account` as moved to `target`, which must have `account` as an alias. Otherwise an
/// account could point its followers to an account that has nothing to do with it.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for a remote account, and for a target that does not
/// have `account` as an alias, is suspended or has moved itself.
pub fn move_to(tx: &mut Tx<'_>, account: AccountId, target: AccountId) -> Result<()> {
    rows::lock(tx, &[account, target])?;
    let account = local(tx, account)?;
    let target = find(tx, target)?;
    let aliases = rows::aliases(tx, target.id)?.ok_or(Error::NotFound)?;
    if target.id == account.id || !aliases.contains(&account.uri) {
        return Err(Error::invalid("The target account must list this account as an alias"));
    }
    if target.state.suspended || !target.state.reachable || target.moved.is_some() {
        return Err(Error::invalid("The target account is not active"));
    }
    Ok(rows::set_moved(tx, account.id, Some(target.id))?)
}

/// Undoes a move.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for a remote account.
pub fn undo_move(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
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
