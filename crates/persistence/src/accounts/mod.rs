//! Accounts: rows in, [`Account`] views out.

mod create;
mod credentials;
mod directory;
mod listing;
mod mentionable;
mod migration;
mod profile;
mod removal;
mod row;
mod search;
mod standing;
mod suggestions;
mod terms;

use std::{collections::HashMap, sync::Arc};

use diesel::prelude::*;
use siskin_entities::Account;
use siskin_ids::AccountId;

use crate::{
    Conn, Result, Tx,
    among::IdExpression as _,
    conn::OnEngine,
    emojis,
    schema::{account_stats, accounts, roles, users},
};

pub use create::{NewAccount, NewUser, insert, insert_user};
pub use credentials::credentials;
pub use directory::{Directory, DirectoryOrder, directory};
pub(crate) use listing::listed;
pub use mentionable::{HandleKey, Mentionable, mentionable};
pub use migration::{aliases, set_aliases, set_moved};
pub use profile::{Profile, UserDefaults, update_fields, update_profile, update_user_defaults};
pub use removal::remove_some;
use row::{AccountRow, StatsRow, domains_to_text, fields_to_json};
pub use search::{Search, Sought, search};
pub use standing::{Decision, decide, set_password_hash, set_role};
pub use suggestions::{Suggested, dismiss, friends_of_friends, picked};
pub(crate) use terms::{misindexed, refresh as index};

/// Everything a view is made of, in one statement.
macro_rules! account_views {
    () => {
        accounts::table
            .left_join(account_stats::table)
            .left_join(users::table.left_join(roles::table))
            .select((
                AccountRow::as_select(),
                Option::<StatsRow>::as_select(),
                Option::<row::RoleRow>::as_select(),
            ))
    };
}

type ViewRow = (AccountRow, Option<StatsRow>, Option<row::RoleRow>);

/// The views of these rows in their order; two statements more where some of them moved.
fn views(conn: &mut Conn, rows: Vec<ViewRow>) -> Result<Vec<Arc<Account>>> {
    let moved: Vec<AccountId> =
        rows.iter().filter_map(|(account, ..)| account.moved_to()).collect();
    let targets = moved_to(conn, &moved)?;
    let view = |(account, stats, role): ViewRow| {
        let target = account.moved_to().and_then(|target| targets.get(&target).cloned());
        account.into_view(stats, role, target)
    };
    let mut accounts = rows.into_iter().map(view).collect::<Result<Vec<Account>>>()?;
    emojis::add_to_accounts(conn, &mut accounts)?;
    Ok(accounts.into_iter().map(Arc::new).collect())
}

fn view(conn: &mut Conn, row: Option<ViewRow>) -> Result<Option<Arc<Account>>> {
    Ok(views(conn, row.into_iter().collect())?.pop())
}

/// Those accounts to which others moved that can be reached and have not moved on.
fn moved_to(conn: &mut Conn, ids: &[AccountId]) -> Result<HashMap<AccountId, Arc<Account>>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<ViewRow> = account_views!()
        .filter(accounts::id.among(ids))
        .filter(accounts::reachable.eq(true))
        .filter(accounts::moved_to_account_id.is_null())
        .load(conn)?;
    let views = rows.into_iter().map(|(account, stats, role)| account.into_view(stats, role, None));
    let mut accounts = views.collect::<Result<Vec<Account>>>()?;
    emojis::add_to_accounts(conn, &mut accounts)?;
    Ok(accounts.into_iter().map(|account| (account.id, Arc::new(account))).collect())
}

/// The accounts with these ids, whatever their state; unknown ids are left out.
pub fn load(conn: &mut Conn, ids: &[AccountId]) -> Result<HashMap<AccountId, Arc<Account>>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<ViewRow> = account_views!().filter(accounts::id.among(ids)).load(conn)?;
    Ok(views(conn, rows)?.into_iter().map(|account| (account.id, account)).collect())
}

/// The accounts with these ids in the order of the ids; unknown ids are left out.
pub fn load_in_order(conn: &mut Conn, ids: &[AccountId]) -> Result<Vec<Arc<Account>>> {
    let found = load(conn, ids)?;
    Ok(ids.iter().filter_map(|id| found.get(id).cloned()).collect())
}

/// The account with this id, whatever its state.
pub fn find(conn: &mut Conn, id: AccountId) -> Result<Option<Arc<Account>>> {
    let row = account_views!().filter(accounts::id.eq(id)).first(conn).optional()?;
    view(conn, row)
}

/// The first `limit` local accounts that were made after `after`, whatever their state, in the order
/// in which they were made.
pub fn local(conn: &mut Conn, after: AccountId, limit: i64) -> Result<Vec<Arc<Account>>> {
    let rows: Vec<ViewRow> = account_views!()
        .filter(accounts::domain.is_null())
        .filter(accounts::id.gt(after))
        .order(accounts::id)
        .limit(limit)
        .load(conn)?;
    views(conn, rows)
}

/// Keeps others from changing these accounts, and the ties between them, until the transaction
/// ends: what is read after this is still so when it is written. On `SQLite` there is one writer
/// anyway. The order of the ids keeps two from waiting for each other; the weaker lock lets rows
/// that refer to the accounts be added meanwhile.
pub fn lock(tx: &mut Tx<'_>, ids: &[AccountId]) -> Result<()> {
    if let OnEngine::Postgres(pg) = tx.on_engine() {
        accounts::table
            .filter(accounts::id.among(ids))
            .order(accounts::id)
            .select(accounts::id)
            .for_no_key_update()
            .load::<AccountId>(pg)?;
    }
    Ok(())
}

/// Keeps the counters of these accounts from changing until the transaction ends; in one order, as two
/// that count crosswise would wait for each other.
pub(crate) fn hold_counts(tx: &mut Tx<'_>, ids: &[AccountId]) -> Result<()> {
    if let OnEngine::Postgres(pg) = tx.on_engine() {
        account_stats::table
            .filter(account_stats::account_id.among(ids))
            .order(account_stats::account_id)
            .select(account_stats::account_id)
            .for_no_key_update()
            .load::<AccountId>(pg)?;
    }
    Ok(())
}

/// The account with this folded user name at `domain` (None: here), whatever its state.
pub fn find_by_handle(
    conn: &mut Conn,
    username_key: &str,
    domain: Option<&str>,
) -> Result<Option<Arc<Account>>> {
    let named = account_views!().filter(accounts::username_key.eq(username_key));
    let row = match domain {
        None => named.filter(accounts::domain.is_null()).first(conn).optional()?,
        Some(domain) => named.filter(accounts::domain.eq(domain)).first(conn).optional()?,
    };
    view(conn, row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_of_no_ids_need_no_statement() {
        let mut conn = Conn::open("sqlite://:memory:").unwrap();
        assert!(load(&mut conn, &[]).unwrap().is_empty());
    }
}
