//! Account migration: the account to which an owner moved, and the aliases of an account.

use diesel::prelude::*;
use siskin_ids::AccountId;

use crate::{Conn, Error, Result, Tx, schema::accounts};

use super::listing;

/// Returns the aliases of an account: URIs of other accounts of the same owner that may move to it.
/// Returns `None` if the account does not exist.
pub fn aliases(conn: &mut Conn, account: AccountId) -> Result<Option<Vec<String>>> {
    let stored: Option<String> =
        accounts::table.find(account).select(accounts::also_known_as).first(conn).optional()?;
    let read = |json: String| serde_json::from_str(&json);
    stored.map(read).transpose().map_err(|_| Error::Damaged("accounts.also_known_as"))
}

/// Replaces the aliases of an account.
pub fn set_aliases(tx: &mut Tx<'_>, account: AccountId, aliases: &[String]) -> Result<()> {
    let json =
        serde_json::to_string(aliases).map_err(|_| Error::Damaged("accounts.also_known_as"))?;
    diesel::update(accounts::table.find(account))
        .set((
            accounts::also_known_as.eq(json),
            accounts::version.eq(accounts::version + 1),
            accounts::updated_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Sets the account to which the owner moved. `None` clears it.
pub fn set_moved(tx: &mut Tx<'_>, account: AccountId, to: Option<AccountId>) -> Result<()> {
    diesel::update(accounts::table.find(account))
        .set((
            accounts::moved_to_account_id.eq(to),
            accounts::version.eq(accounts::version + 1),
            accounts::updated_at.eq(tx.now().unix_ms()),
        ))
        .execute(&mut **tx)?;
    listing::refresh(tx, account)
}
