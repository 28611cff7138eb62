//! Whether the directory lists an account: kept beside its counters, where the directory's orders
//! are, because an index can only order by columns of one table.

use diesel::{RunQueryDsl, sql_query};
use siskin_ids::AccountId;

use crate::{Result, Tx};

/// The SQL of `account_stats.listed` for the account `owner`: 2 for accounts of this server, 1 for
/// others, 0 for those that did not ask to be found, are limited, out of reach or have moved.
macro_rules! listed {
    () => {
        "CASE WHEN owner.discoverable AND owner.reachable AND owner.suspended_at IS NULL
             AND owner.silenced_at IS NULL AND owner.moved_to_account_id IS NULL
         THEN CASE WHEN owner.domain IS NULL THEN 2 ELSE 1 END ELSE 0 END"
    };
}

pub(crate) use listed;

/// Lists an account, or takes it from the directory, after something changed that decides it.
pub(super) fn refresh(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    sql_query(format!(
        "UPDATE account_stats SET listed = (
             SELECT {} FROM accounts AS owner WHERE owner.id = account_stats.account_id
         ) WHERE account_id = {}",
        listed!(),
        account.get()
    ))
    .execute(&mut **tx)?;
    Ok(())
}
