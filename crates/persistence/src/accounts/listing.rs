//! Whether the directory lists an account. The flag is stored in `account_stats`, beside the
//! columns that the directory sorts by, because an index covers columns of one table only.

use diesel::{RunQueryDsl, sql_query};
use siskin_ids::AccountId;

use crate::{Result, Tx};

/// SQL of `account_stats.listed` for the account `owner`: 2 for listed accounts of this server, 1
/// for listed remote accounts, 0 for all others. An account is not listed if it did not opt in, or
/// if it is suspended, silenced, unconfirmed, pending approval or moved.
macro_rules! listed {
    () => {
        "CASE WHEN owner.discoverable AND owner.reachable AND owner.suspended_at IS NULL
             AND owner.silenced_at IS NULL AND owner.moved_to_account_id IS NULL
         THEN CASE WHEN owner.domain IS NULL THEN 2 ELSE 1 END ELSE 0 END"
    };
}

pub(crate) use listed;

/// Recomputes `listed` of an account. Call it after a change of any column that `listed!` reads.
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
